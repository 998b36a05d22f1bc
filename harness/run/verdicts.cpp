#include "harness/run/detail/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay {

std::string_view name_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 8> names{
      "PASS", "MISSING", "VACUOUS", "INCONCLUSIVE", "ERROR", "FAIL", "N/A", "WAIVED"};
  return names[static_cast<std::size_t>(verdict)];
}

static bool any(const Report& report, Verdict verdict) {
  return std::ranges::any_of(report.rules, [&](const auto& r) { return r.verdict == verdict; });
}

static bool settled(const RuleReport& rule) {
  return rule.verdict == Verdict::pass || rule.verdict == Verdict::waived ||
         rule.verdict == Verdict::not_applicable;
}

int exit_status_of(const Report& report) {
  // Where the canary lives, neither a PASS nor a FAIL means anything.
  if (!report.canary_convicted) return 3;
  if (any(report, Verdict::fail)) return 1;
  if (!report.troubles.empty()) return 3;
  const bool something = any(report, Verdict::pass) || any(report, Verdict::waived);
  const bool whole = !report.partial && report.driver_troubles.empty();
  return something && whole && std::ranges::all_of(report.rules, settled) ? 0 : 2;
}

}  // namespace assay

namespace assay::detail {

Decision decide(const Sightings& seen, const Circumstances& run) {
  if (seen.convicted) return {Verdict::fail, "convicted"};
  if (run.unusable) return {Verdict::error, *run.unusable};
  if (seen.broken) return {Verdict::error, *seen.broken};
  if (!seen.judged) return {Verdict::missing, "not judged yet"};
  if (seen.triggered > 0) return {Verdict::pass, ""};
  if (run.driver_trouble) return {Verdict::error, "never triggered: " + *run.driver_trouble};
  if (run.unknown_outcomes > 0)
    return {Verdict::inconclusive,
            fmt::format("never triggered, and {} operation{} ended nobody knows how",
                        run.unknown_outcomes, run.unknown_outcomes == 1 ? "" : "s")};
  if (run.voided > 0)
    return {Verdict::inconclusive,
            fmt::format("never triggered, and in {} case{} a fault could not be made, or nothing "
                        "shows that it took effect",
                        run.voided, run.voided == 1 ? "" : "s")};
  if (run.undecided > 0)
    return {Verdict::inconclusive,
            fmt::format("never triggered, and the calls on {} job{} had too many orders to be "
                        "searched",
                        run.undecided, run.undecided == 1 ? "" : "s")};
  return {Verdict::vacuous, "its trigger never occurred: nothing was tested"};
}

}  // namespace assay::detail
