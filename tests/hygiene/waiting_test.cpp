// The engine waits, locks and starts others through a Runtime only, so that it runs in virtual time
// as it does on threads.
#include <gtest/gtest.h>

#include <regex>

#include "tests/hygiene/source_tree.h"

namespace assay::hygiene {
namespace {

std::vector<Offence> own_threads(const SourceTree& tree) {
  static const std::regex forbidden(
      "\\bstd::(recursive_|timed_|shared_)*mutex\\b|\\bcondition_variable|\\bstd::j?thread\\b|"
      "\\b(binary|counting)_semaphore\\b|\\bstd::(latch|barrier|async|future|promise)\\b|"
      "\\bthis_thread\\b|\\bpthread_(create|mutex|cond)");
  std::vector<Offence> offences;
  for (const auto& [path, text] : tree) {
    if (!is_source(path) || !is_under(path, "engine")) continue;
    int number = 0;
    for (const auto& line : lines_of(code_only(text))) {
      ++number;
      std::smatch found;
      if (std::regex_search(line, found, forbidden))
        offences.push_back({path, number, "uses " + found.str()});
    }
  }
  return offences;
}

TEST(HygieneWaiting, GoesThroughTheRuntimeInTheWholeEngine) {
  const auto tree = read_source_tree(ASSAY_SOURCE_DIR);
  ASSERT_TRUE(tree.contains("engine/worker.cpp"));
  const auto offences = own_threads(tree);
  EXPECT_TRUE(offences.empty()) << told(offences);
}

TEST(HygieneWaiting, ConvictsEveryPlantedUse) {
  for (const std::string line :
       {"std::mutex m;", "std::recursive_mutex m;", "std::condition_variable c;",
        "std::condition_variable_any c;", "std::thread t(body);", "std::jthread t(body);",
        "std::binary_semaphore s{0};", "auto f = std::async(body);", "std::this_thread::yield();",
        "pthread_create(&t, nullptr, body, nullptr);"})
    EXPECT_EQ(own_threads({{"engine/x.cpp", line + "\n"}}).size(), 1u) << line;
  EXPECT_TRUE(own_threads({{"engine/x.cpp", "const std::lock_guard lock(*monitor);\n"}}).empty());
  EXPECT_TRUE(own_threads({{"harness/x.cpp", "std::mutex m;\n"}}).empty());
}

}  // namespace
}  // namespace assay::hygiene
