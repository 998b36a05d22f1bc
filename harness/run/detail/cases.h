// CaseSource: the cases of a certification, by number: the scenarios that apply, then generated
// plans. A case depends on its number, the profile and the seed alone.
//
// Thread-safe once made.
#pragma once

#include <vector>

#include "harness/run/certify.h"

namespace assay::detail {

struct Case {
  Plan plan;
  const Scenario* scenario = nullptr;  // where one was written by hand
  std::optional<std::uint64_t> seed;   // where it was drawn
  bool explored = false;               // a scenario's plan by another schedule than anybody's
};

// The seed that every driver of a certification is made with.
std::uint64_t driver_seed(std::uint64_t seed);

// What there is for faults to befall.
struct FaultGrounds {
  std::optional<std::string> url;   // of the store
  const Backend* server = nullptr;  // behind it, where we started it
  const Disk* disk = nullptr;       // of ours, with the store's data on it
  std::string why_no_disk;
};
FaultGrounds grounds_of(const CertifyOptions& options);

// Why this driver cannot be made to suffer that here; nothing where it can.
std::optional<std::string> why_not(const FaultInfo& fault, const Profile& profile,
                                   const FaultGrounds& grounds);

class CaseSource {
 public:
  // Scenarios that the profile does not meet are left out, and with a selection those that trigger
  // none of its rules; so are those with a fault that cannot be made here. The parts are borrowed.
  CaseSource(const Profile& profile, const CertifyOptions& options, const Parts& parts,
             const Selection& selection);

  // Those that were left out since their faults cannot be made, and why: a sentence each.
  const std::vector<std::string>& left_out() const { return left_out_; }
  // The faults of the plans that are drawn, where there are some.
  const std::vector<const FaultInfo*>& mix() const { return mix_; }

  std::uint64_t scenarios() const { return scenarios_.size(); }
  // How many there are; nothing where the budget alone decides.
  std::optional<std::uint64_t> count() const;

  // Throws where the plan is not valid, which is a bug of the scenario or the generator.
  Case at(std::uint64_t number) const;
  ReplayToken token(const Case& one) const;

 private:
  Case draw(std::uint64_t number) const;
  Case explored(std::uint64_t number) const;
  Schedule schedule_of(std::uint64_t number) const;

  Profile profile_;
  std::string driver_;
  std::string replica_;  // of the server, as tokens have it
  std::uint64_t seed_;
  std::optional<std::uint64_t> generated_;
  bool free_;  // clients move at once in every second plan that is drawn
  Level level_;
  const EngineInfo* engine_;  // null: the driver alone
  std::vector<const Scenario*> scenarios_;
  std::vector<std::string> left_out_;
  std::vector<const FaultInfo*> mix_;
  std::vector<std::string_view> process_faults_;  // of drawn plans whose workers are processes
  std::vector<const Scenario*> races_;  // those whose clients move at once, whatever is selected
};

}  // namespace assay::detail
