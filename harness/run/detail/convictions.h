// Convictions: which rules some runs of one plan, or of variants of it, have broken, and the first
// witness of each.
#pragma once

#include "harness/run/detail/exhibit.h"
#include "harness/run/hunt.h"

namespace assay::detail {

class Convictions {
 public:
  // The run's number counts from 1. Whether anything was convicted in it.
  bool add(std::uint64_t number, const Plan& plan, const CaseResult& result);

  // Makes the witnesses small, and writes the reports' stories and tokens; all together in so many
  // seconds at most.
  void exhibit_all(Subject& subject, const ReplayToken& token, const ExhibitOptions& options,
                   const std::function<void(const std::string& rule)>& begins);

  std::vector<HuntedRule> rules;

 private:
  std::vector<RuleRecord> records_;  // by the rules
};

}  // namespace assay::detail
