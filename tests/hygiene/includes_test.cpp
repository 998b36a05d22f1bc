// Who may include whom: the design's one-way rule, held for every include line of the tree.
#include <gtest/gtest.h>

#include "tests/hygiene/source_tree.h"

namespace assay::hygiene {
namespace {

const std::vector<std::string> part_folders = {"drivers",   "engine", "properties",
                                               "scenarios", "faults", "reports"};

// The folder whose rule a file follows: "harness/contract", "harness/cli", "harness" for the rest
// of it, a part's folder, "tests".
std::string layer_of(std::string_view path) {
  for (const std::string layer : {"harness/contract", "harness/cli"}) {
    if (is_under(path, layer)) return layer;
  }
  return std::string(path.substr(0, path.find('/')));
}

bool layer_may_use(const std::string& from, const std::string& to) {
  if (from == "tests") return true;
  if (to == "tests") return false;
  if (from == "harness/cli" || from == to) return true;
  if (to == "harness/cli" || from == "harness/contract") return false;
  return to == "harness" || to == "harness/contract";
}

bool is_private(std::string_view path) { return path.find("/detail/") != path.npos; }

// A header in a detail/ is for its library alone: it is not installed.
bool is_private_to_another(const std::string& path, const std::string& included) {
  if (!is_private(included) || is_under(path, "tests")) return false;
  return !is_under(path, included.substr(0, included.find('/')));
}

std::string why_not(const std::string& path, const Include& include, const SourceTree& tree) {
  const bool ours = tree.contains(include.name);
  if (!ours) return include.quoted ? "no file of ours, seen from the root: " + include.name : "";
  if (!include.quoted) return "a file of ours in angle brackets: " + include.name;
  const auto from = layer_of(path);
  const auto to = layer_of(include.name);
  if (!layer_may_use(from, to)) return from + " must not know " + include.name;
  if (is_private_to_another(path, include.name))
    return "private to another library: " + include.name;
  return "";
}

std::vector<Offence> wrong_includes(const SourceTree& tree) {
  std::vector<Offence> offences;
  for (const auto& [path, text] : tree) {
    if (!is_source(path)) continue;
    for (const auto& include : includes_of(text)) {
      const auto why = why_not(path, include, tree);
      if (!why.empty()) offences.push_back({path, include.line, why});
    }
  }
  return offences;
}

// Private headers may: whoever uses Assay does not see them.
std::vector<Offence> foreign_headers(const SourceTree& tree) {
  std::vector<Offence> offences;
  for (const auto& [path, text] : tree) {
    if (!is_header(path) || is_private(path) || is_under(path, "tests")) continue;
    for (const auto& [line, name, quoted] : includes_of(text)) {
      for (const std::string_view foreign : {"nlohmann/", "boost/", "rapidcheck", "sqlite3", "CLI/",
                                             "zlib", "hiredis/", "pqxx", "libpq"}) {
        if (name.starts_with(foreign))
          offences.push_back({path, line, "a header includes " + name});
      }
    }
  }
  return offences;
}

// A tree where everything exists that the includes below name.
SourceTree tree_with(const std::string& path, const std::string& text) {
  SourceTree tree = {{"harness/contract/job.h", ""}, {"harness/plan/plan.h", ""},
                     {"harness/cli/cli.h", ""},      {"harness/run/detail/gate.h", ""},
                     {"drivers/all.h", ""},          {"properties/all.h", ""},
                     {"tests/fixture.h", ""}};
  tree[path] = text;
  return tree;
}

std::size_t offences_of(const std::string& path, const std::string& text) {
  return wrong_includes(tree_with(path, text)).size();
}

TEST(HygieneIncludes, GoOneWayInTheWholeTree) {
  const auto tree = read_source_tree(ASSAY_SOURCE_DIR);
  ASSERT_GT(tree.size(), 30u);
  const auto offences = wrong_includes(tree);
  EXPECT_TRUE(offences.empty()) << told(offences);
}

TEST(HygieneIncludes, ConvictTheContractOfLookingUp) {
  EXPECT_EQ(offences_of("harness/contract/x.cpp", "#include \"harness/plan/plan.h\"\n"), 1u);
  EXPECT_EQ(offences_of("harness/contract/x.cpp", "#include \"harness/contract/job.h\"\n"), 0u);
}

TEST(HygieneIncludes, ConvictTheHarnessOfKnowingAPart) {
  EXPECT_EQ(offences_of("harness/run/x.cpp", "#include \"drivers/all.h\"\n"), 1u);
  EXPECT_EQ(offences_of("harness/run/x.cpp", "#include \"harness/cli/cli.h\"\n"), 1u);
  EXPECT_EQ(offences_of("harness/cli/x.cpp", "#include \"drivers/all.h\"\n"), 0u);
}

TEST(HygieneIncludes, ConvictAPartOfKnowingAnother) {
  for (const auto& part : part_folders) {
    const auto other = part == "drivers" ? "properties" : "drivers";
    EXPECT_EQ(offences_of(part + "/x.cpp", "#include \"" + std::string(other) + "/all.h\"\n"), 1u);
    EXPECT_EQ(offences_of(part + "/x.cpp", "#include \"harness/cli/cli.h\"\n"), 1u);
    EXPECT_EQ(offences_of(part + "/x.cpp", "#include \"harness/plan/plan.h\"\n"), 0u);
  }
}

TEST(HygieneIncludes, ConvictAnyoneOfKnowingTheTests) {
  EXPECT_EQ(offences_of("harness/cli/x.cpp", "#include \"tests/fixture.h\"\n"), 1u);
  EXPECT_EQ(offences_of("tests/x.cpp", "#include \"tests/fixture.h\"\n"), 0u);
}

TEST(HygieneIncludes, ConvictTheUseOfAPrivateHeader) {
  EXPECT_EQ(offences_of("drivers/x.cpp", "#include \"harness/run/detail/gate.h\"\n"), 1u);
  EXPECT_EQ(offences_of("harness/run/x.cpp", "#include \"harness/run/detail/gate.h\"\n"), 0u);
}

TEST(HygieneIncludes, ConvictNamesThatAreNotWrittenFromTheRoot) {
  EXPECT_EQ(offences_of("drivers/x.cpp", "#include \"all.h\"\n"), 1u);
  EXPECT_EQ(offences_of("drivers/x.cpp", "  #  include <drivers/all.h>\n"), 1u);
  EXPECT_EQ(offences_of("drivers/x.cpp", "#include <vector>\n"), 0u);
}

TEST(HygieneHeaders, KeepThirdPartiesOut) {
  const auto offences = foreign_headers(read_source_tree(ASSAY_SOURCE_DIR));
  EXPECT_TRUE(offences.empty()) << told(offences);
}

TEST(HygieneHeaders, ConvictAPlantedThirdParty) {
  for (const std::string name : {"nlohmann/json.hpp", "rapidcheck.h", "rapidcheck/gen/Arbitrary.h",
                                 "sqlite3.h", "CLI/CLI.hpp"}) {
    const auto line = "\n#include <" + name + ">\n";
    EXPECT_EQ(foreign_headers({{"harness/plan/x.h", line}}).size(), 1u) << name;
    EXPECT_EQ(foreign_headers({{"harness/plan/x.cpp", line}}).size(), 0u) << name;
    EXPECT_EQ(foreign_headers({{"harness/plan/detail/x.h", line}}).size(), 0u) << name;
  }
}

}  // namespace
}  // namespace assay::hygiene
