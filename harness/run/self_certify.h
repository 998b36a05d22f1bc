// SelfCertification: what stands behind harness/run/gtest.h: certifies an author's own driver once,
// when it is first asked, and answers for one rule at a time. Knows nothing of GoogleTest.
//
// Not thread-safe. The parts are borrowed for life.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/certify.h"

namespace assay {

// Set by the environment where people want another run: ASSAY_SEED, a number, and ASSAY_BUDGET, in
// seconds. Without a budget a fixed number of cases is run, so that the same code gives the same
// answer. With ASSAY_REPLAY, a token, nothing but its plan is run.
CertifyOptions self_certify_options(std::string driver);

class SelfCertification {
 public:
  using Make = std::function<Result<std::unique_ptr<Driver>>(const DriverOptions&)>;

  SelfCertification(std::string name, Make make, Parts parts);
  ~SelfCertification();
  SelfCertification(const SelfCertification&) = delete;
  SelfCertification& operator=(const SelfCertification&) = delete;

  // The rules that the driver's profile promises, in the table's order.
  std::vector<std::string> rules();

  // Why the rule does not pass, for people; nothing where it passes.
  std::optional<std::string> objection(const std::string& rule);

  // What stands in the way of a certificate besides the rules: our troubles and the driver's.
  std::optional<std::string> objection();

  const Report& report();

 private:
  std::optional<std::string> replayed();

  DriverInfo driver_;
  Parts parts_;
  CertifyOptions options_;
  std::optional<Report> report_;
  std::optional<Result<ReplayToken>> replay_;  // ASSAY_REPLAY: run this instead
};

}  // namespace assay
