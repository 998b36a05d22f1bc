#include "harness/cli/auditing.h"

#include <fmt/format.h>

#include <iostream>

#include "harness/cli/interrupts.h"
#include "harness/run/parts.h"
#include "reports/text.h"

namespace assay::cli {

Status check_audit(const CertifyArguments& arguments, const NamedDriver& driver) {
  if (audit_groups(driver.name).empty())
    return invalid(
        fmt::format("--audit makes no sense for {}: postgres, redis and sqlite have settings that "
                    "it knows",
                    driver.name));
  if (arguments.how.url)
    return invalid(
        "--audit crashes the store, so it starts ones of its own: leave --driver-url out");
  return Done{};
}

AuditReport audit_store(const CertifyJob& job, const CertifyArguments& arguments, Scratch& scratch,
                        const TerminalOptions& terminal) {
  std::stop_source stop;
  const Interrupts interrupts(
      [&] {
        std::cerr << "\nassay: stopping after the current case; once more ends at once\n";
        stop.request_stop();
      },
      [&] { scratch.remove(); });
  AuditOptions options;
  options.driver = job.driver.name;
  options.profile = job.options.profile;
  options.seed = job.options.seed;
  if (job.options.cases) options.cases = std::max<std::uint64_t>(1, *job.options.cases);
  if (arguments.how.backend) options.backend = *backend_kind_from(*arguments.how.backend);
  options.scratch = scratch.path();
  options.serve = {"/proc/self/exe", "serve", job.driver.name};
  const auto progress = [&](const AuditCell& cell, std::size_t number, std::size_t of) {
    if (terminal.quiet || (!terminal.live && !terminal.progress)) return;
    const std::string line =
        fmt::format("audit {} of {}: {}, {}", number, of, cell.setting, name_of(cell.fault));
    if (terminal.live)
      std::cerr << "\r\x1b[K" << text::cut("  " + line, terminal.width - 1) << std::flush;
    else
      std::cerr << line << "\n" << std::flush;
  };
  AuditReport report =
      audit(job.driver.info, options, built_in_parts(), progress, stop.get_token());
  if (terminal.live && !terminal.quiet) std::cerr << "\r\x1b[K" << std::flush;
  return report;
}

void add_audit(Report& report, const AuditReport& audit) {
  for (const AuditCell& cell : audit.cells) {
    if (!cell.is_default) continue;
    for (const auto& [id, rule] : cell.rules)
      if (rule.convicted > 0)
        report.driver_troubles.push_back(fmt::format("the default setting {} loses {} in {}",
                                                     cell.setting, id, name_of(cell.fault)));
    if (cell.not_tried && cell.fault != AuditFault::power_loss)
      report.driver_troubles.push_back(
          fmt::format("the default setting {} was not audited: {}", cell.setting, *cell.not_tried));
  }
  for (const std::string& trouble : audit.troubles)
    report.troubles.push_back("the audit: " + trouble);
  report.exit_status = audit.exit_status() == 1 ? 1 : exit_status_of(report);
  report.certified = report.exit_status == 0;
}

}  // namespace assay::cli
