// Time and randomness come through Clock and Random only.
#include <gtest/gtest.h>

#include <regex>

#include "tests/hygiene/source_tree.h"

namespace assay::hygiene {
namespace {

struct Forbidden {
  std::string name;
  std::regex pattern;
};

// A name that is not a member of something else: no dot, arrow or letter before it.
std::string free_call(const std::string& name) { return "(^|[^\\w.>])" + name + "\\s*\\("; }

const std::vector<Forbidden>& forbidden() {
  static const std::vector<Forbidden> list = {
      {"a clock of std::chrono", std::regex("\\w_clock::now")},
      {"time()", std::regex(free_call("time") + "\\s*(NULL|nullptr|0|&)")},
      {"gettimeofday", std::regex("\\bgettimeofday\\b")},
      {"clock_gettime", std::regex("\\bclock_gettime\\b")},
      {"a sleep of std::this_thread", std::regex("\\b(sleep_for|this_thread::sleep_until)\\b")},
      {"sleep()", std::regex(free_call("(u|nano)?sleep"))},
      {"rand()", std::regex(free_call("(std::|::)?(s?rand|srandom|[dlm]rand48)"))},
      {"random()", std::regex(free_call("random") + "\\s*\\)")},
      {"system entropy", std::regex("\\b(random_device|getrandom|getentropy|arc4random\\w*)\\b")},
      {"an engine of <random>",
       std::regex("\\b(mt19937(_64)?|minstd_rand0?|default_random_engine|ranlux\\w+|knuth_b)\\b")},
      {"a standard distribution", std::regex("\\bstd::\\w+_distribution\\b")},
      {"a standard shuffle", std::regex("\\bstd::(ranges::)?(shuffle|sample)\\b")},
  };
  return list;
}

// Whether the line may hold any of them: reading a line is cheap, matching it is not.
bool is_suspect(const std::string& line) {
  for (const std::string_view part : {"clock", "time", "sleep", "rand", "entropy", "mt19937",
                                      "ranlux", "knuth", "distribution", "shuffle", "sample"}) {
    if (line.find(part) != line.npos) return true;
  }
  return false;
}

// Those that stand in the place of the system's, and who asks them.
bool makes_clocks(std::string_view path) {
  return is_under(path, "harness/clock/preload") || path == "harness/clock/clock_file.cpp" ||
         path == "tests/harness/clock/teller.cpp";
}

bool is_exempt(std::string_view path) {
  return path == "harness/contract/clock.cpp" || path == "harness/contract/random.cpp" ||
         is_under(path, "tests/bench") || makes_clocks(path);
}

std::vector<Offence> own_time_or_chance(const SourceTree& tree) {
  std::vector<Offence> offences;
  for (const auto& [path, text] : tree) {
    if (!is_source(path) || is_exempt(path)) continue;
    int number = 0;
    for (const auto& line : lines_of(code_only(text))) {
      ++number;
      if (!is_suspect(line)) continue;
      for (const auto& [name, pattern] : forbidden()) {
        if (std::regex_search(line, pattern)) offences.push_back({path, number, "uses " + name});
      }
    }
  }
  return offences;
}

TEST(HygieneTime, ComesThroughClockAndRandomInTheWholeTree) {
  const auto offences = own_time_or_chance(read_source_tree(ASSAY_SOURCE_DIR));
  EXPECT_TRUE(offences.empty()) << told(offences);
}

TEST(HygieneTime, ConvictsEveryPlantedUse) {
  for (const std::string line : {"auto t = std::chrono::steady_clock::now();",
                                 "auto t = system_clock::now();",
                                 "x = time(nullptr);",
                                 "x = std::time(0);",
                                 "x = time( NULL );",
                                 "gettimeofday(&t, nullptr);",
                                 "::clock_gettime(CLOCK_REALTIME, &t);",
                                 "std::this_thread::sleep_for(1ms);",
                                 "std::this_thread::sleep_until(t);",
                                 "usleep(5);",
                                 "::sleep(1);",
                                 "x = rand() % 6;",
                                 "x = std::rand();",
                                 "srand(1);",
                                 "x = random();",
                                 "std::random_device entropy;",
                                 "std::mt19937 engine;",
                                 "std::mt19937_64 engine(1);",
                                 "std::uniform_int_distribution<int> dice(1, 6);",
                                 "std::shuffle(a, b, c);"}) {
    const auto offences = own_time_or_chance({{"drivers/x.cpp", "\n" + line + "\n"}});
    ASSERT_EQ(offences.size(), 1u) << line;
    EXPECT_EQ(offences[0].line, 2) << line;
  }
}

TEST(HygieneTime, LeavesOurOwnWordsAlone) {
  for (const std::string line :
       {"clock.sleep_until(when, stop);", "auto now = clock_.now();", "job.time(0);",
        "Random random(seed);", "// never std::rand() or steady_clock::now()", "/* usleep(5) */",
        "say(\"rand() is forbidden\");", "auto s = R\"(time(nullptr))\";", "operand(x);"}) {
    const auto offences = own_time_or_chance({{"drivers/x.cpp", line + "\n"}});
    EXPECT_TRUE(offences.empty()) << line << "\n" << told(offences);
  }
}

TEST(HygieneTime, IsStillSeenAfterLiteralsAndComments) {
  const std::string text =
      "auto a = '\"'; auto n = 1'000; /* \" */ auto s = \"\\\"//\"; auto r = R\"x(\")\" )x\";\n"
      "usleep(5);\n";
  EXPECT_EQ(own_time_or_chance({{"drivers/x.cpp", text}}).size(), 1u);
}

TEST(HygieneTime, IsReadInTheOnePlaceForIt) {
  const std::string text = "return std::chrono::system_clock::now();\n";
  EXPECT_TRUE(own_time_or_chance({{"harness/contract/clock.cpp", text}}).empty());
  EXPECT_EQ(own_time_or_chance({{"harness/contract/clock.h", text}}).size(), 1u);
}

}  // namespace
}  // namespace assay::hygiene
