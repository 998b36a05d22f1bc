#include "harness/run/hunt.h"

#include "harness/backend/backend.h"
#include "harness/contract/version.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/hunt.h"

namespace assay::detail {

Hunt::Hunt(const DriverInfo& driver, const HuntOptions& options, const Parts& parts,
           std::stop_token stop, std::function<void(const FaultEvent&)> on_fault)
    : options_(options),
      stop_(std::move(stop)),
      subject_({&driver, options.driver, options.profile, driver_seed(options.seed),
                options.driver_url, options.scratch, options.log_folder, parts.properties, 0,
                parts.faults, options.server, options.disk, options.why_no_disk,
                std::move(on_fault), options.make_lines}) {}

bool Hunt::begin(HuntReport& report) {
  const auto claimed = subject_.claims();
  if (claimed.ok())
    report.profile = claimed_ = *claimed;
  else
    report.driver_trouble = "the driver cannot be made: " + claimed.error().message;
  return claimed.ok();
}

bool Hunt::goes_on(HuntReport& report) const {
  report.stopped = report.stopped || stop_.stop_requested();
  return watch_.seconds() < options_.seconds && !report.stopped && !report.driver_trouble &&
         !report.own_trouble && (options_.go_on || report.violations == 0);
}

void Hunt::add(std::uint64_t number, const Plan& plan, const CaseResult& result,
               HuntReport& report) {
  if (result.driver_trouble) report.driver_trouble = result.driver_trouble;
  if (result.own_trouble) report.own_trouble = result.own_trouble;
  const bool convicted = convictions_.add(number, plan, result);
  report.violations += convicted ? 1 : 0;
  report.undecided += !convicted && result.judgement.undecided > 0 ? 1 : 0;
  report.seconds = watch_.seconds();
}

void Hunt::end(HuntReport& report, const std::function<void(const std::string&)>& shrinking) {
  report.seconds = watch_.seconds();
  convictions_.exhibit_all(subject_, token(), {options_.shrink_runs, options_.shrink_seconds, stop_},
                           shrinking);
  report.rules = std::move(convictions_.rules);
  if (const Status ended = subject_.end(); !ended.ok() && !report.driver_trouble)
    report.driver_trouble = ended.error().message;
}

ReplayToken Hunt::token() const {
  ReplayToken token;
  token.assay_version = version();
  token.driver = options_.driver;
  token.profile = claimed_;
  token.driver_seed = subject_.spec().seed;
  if (const Backend* server = options_.server; server && server->replica() != Replica::none)
    token.replica = name_of(server->replica());
  return token;
}

int exit_status_of_hunt(const HuntReport& report) {
  if (!report.rules.empty()) return 1;
  if (report.own_trouble) return 3;
  return report.driver_trouble || report.undecided > 0 || report.stopped ? 2 : 0;
}

}  // namespace assay::detail
