// ASSAY_CERTIFY: certifies a driver in a GoogleTest file, each rule that its profile promises as
// one test: Assay/TinyQueue.Keeps/FENCE_2. Link assay::assay.
//
//   ASSAY_CERTIFY(TinyQueue, [](const assay::DriverOptions& options)
//                                -> assay::Result<std::unique_ptr<assay::Driver>> {
//     return std::unique_ptr<assay::Driver>(new TinyQueueDriver(options));
//   });
//
// The driver is certified once, by the first test that runs, at level contract; a rule that fails
// shows its story and the token that replays it: run the program with ASSAY_REPLAY set to that.
// ASSAY_SEED and ASSAY_BUDGET (seconds) choose another run. Register the whole program as one CTest
// test: one a rule would certify anew for each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/run/parts.h"
#include "harness/run/self_certify.h"

// The tests live in a namespace of their own, so that the author's class may bear the same name.
#define ASSAY_CERTIFY(name, ...)                                                           \
  static ::assay::SelfCertification& assay_certification_of_##name() {                     \
    static ::assay::SelfCertification certification(#name, __VA_ARGS__,                    \
                                                    ::assay::built_in_parts());            \
    return certification;                                                                  \
  }                                                                                        \
  namespace assay_tests_of_##name {                                                        \
    class name : public ::testing::TestWithParam<std::string> {};                          \
    TEST_P(name, Keeps) {                                                                  \
      if (const auto objection = assay_certification_of_##name().objection(GetParam()))    \
        FAIL() << *objection;                                                              \
    }                                                                                      \
    INSTANTIATE_TEST_SUITE_P(Assay, name,                                                  \
                             ::testing::ValuesIn(assay_certification_of_##name().rules()), \
                             [](const auto& test) {                                        \
                               std::string id = test.param;                                \
                               std::ranges::replace(id, '-', '_');                         \
                               return id;                                                  \
                             });                                                           \
    TEST(name##Run, HasNoTrouble) {                                                        \
      if (const auto objection = assay_certification_of_##name().objection())              \
        FAIL() << *objection;                                                              \
    }                                                                                      \
  }                                                                                        \
  static_assert(true, "so that the macro ends in a semicolon")
