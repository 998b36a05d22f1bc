// What `certify` of one driver and of all of them have in common.
#pragma once

#include "harness/cli/commands.h"
#include "harness/cli/named_driver.h"
#include "reports/run_folder.h"
#include "reports/terminal.h"

namespace assay::cli {

// What the person's words come to.
struct CertifyJob {
  NamedDriver driver;
  CertifyOptions options;
  Selection selection;
};

// The errors are sentences: wrong usage.
Result<CertifyJob> job_from(const CertifyArguments& arguments);
Status read_numbers(const CertifyArguments& arguments, CertifyOptions& options);

// Those that can be tested where it claims that. What its store keeps, a driver claims when it is
// made on it, and not before: until then, where that alone is missing, those of one that keeps all.
Result<Selection> selected(const CertifyOptions& options, const Profile& profile);
Result<Selection> selected_at_most(const CertifyOptions& options);

TerminalOptions terminal_options(const CertifyArguments& arguments, const Program& program,
                                 const std::string& folder);

// Tells the folder first: a case's token is on disk before anything else happens.
class Listeners final : public CertifyListener {
 public:
  Listeners(RunFolder& folder, TerminalReport& terminal) : folder_(folder), terminal_(terminal) {}

  void begins(const CertifyOptions& o, std::size_t r, std::size_t s) override {
    terminal_.begins(o, r, s);
  }
  void case_begins(const Plan& p, const std::string& t) override { folder_.case_begins(p, t); }
  void case_ends(const Plan& p, const History& h, const Judgement& j) override {
    folder_.case_ends(p, h, j);
  }
  void progress(std::uint64_t n, std::optional<std::uint64_t> of, double s,
                std::size_t c) override {
    terminal_.progress(n, of, s, c);
  }
  void fault(const FaultEvent& event) override { terminal_.fault(event); }
  void shrinking(const std::string& rule) override { terminal_.shrinking(rule); }
  void convicted(const RuleReport& rule) override { terminal_.convicted(rule); }

 private:
  RunFolder& folder_;
  TerminalReport& terminal_;
};

// Every built-in driver, in one run with one report.
int certify_all(const CertifyArguments& arguments, const Program& program);

}  // namespace assay::cli
