// Nothing lies beside the build: every source is listed, every folder of sources is watched by the
// launcher.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/hygiene/source_tree.h"

namespace assay::hygiene {
namespace {

// The words of a CMakeLists, without comments.
std::set<std::string> words_of(const std::string& text) {
  const auto bare = std::regex_replace(text, std::regex("#[^\n]*"), "");
  static const std::regex word("[^\\s()\"]+");
  return {std::sregex_token_iterator(bare.begin(), bare.end(), word), std::sregex_token_iterator()};
}

// By folder.
using Lists = std::map<std::string, std::set<std::string>>;
Lists lists_of(const SourceTree& tree) {
  Lists lists;
  for (const auto& [path, text] : tree)
    if (path == "CMakeLists.txt" || path.ends_with("/CMakeLists.txt"))
      lists[folder_of(path)] = words_of(text);
  return lists;
}

bool has(const Lists& lists, const std::string& folder, const std::string& path) {
  const auto list = lists.find(folder);
  const auto name = folder.empty() ? path : path.substr(folder.size() + 1);
  return list != lists.end() && list->second.contains(name);
}

// A file may be listed by its own folder or by any above it.
std::vector<Offence> unlisted(const SourceTree& tree) {
  const Lists lists = lists_of(tree);
  std::vector<Offence> offences;
  for (const auto& [path, text] : tree) {
    if (!path.ends_with(".cpp")) continue;
    bool found = has(lists, "", path);
    for (auto folder = folder_of(path); !folder.empty() && !found; folder = folder_of(folder)) {
      found = has(lists, folder, path);
    }
    if (!found) offences.push_back({path, 1, "in no CMakeLists.txt"});
  }
  return offences;
}

// Folders that the build reads and the launcher's `find` does not.
std::vector<std::string> unwatched(const std::string& cmake, const std::string& launcher) {
  std::vector<std::string> found;
  static const std::regex folder("add_subdirectory\\(([^)/]+)[^)]*\\)");
  for (auto it = std::sregex_iterator(cmake.begin(), cmake.end(), folder);
       it != std::sregex_iterator(); ++it) {
    const std::string name = (*it)[1];
    if (name == "tests") continue;
    if (!std::regex_search(launcher, std::regex("\\s" + name + "\\s"))) found.push_back(name);
  }
  return found;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(ASSAY_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

TEST(HygieneBuild, ListsEverySource) {
  const auto offences = unlisted(read_source_tree(ASSAY_SOURCE_DIR));
  EXPECT_TRUE(offences.empty()) << told(offences);
}

TEST(HygieneBuild, ConvictsASourceThatIsNotListed) {
  const SourceTree tree = {
      {"drivers/memory/a.cpp", ""},
      {"drivers/memory/b.cpp", ""},
      {"drivers/c.cpp", ""},
      {"drivers/CMakeLists.txt", "target_sources(x PRIVATE memory/a.cpp)\n#c.cpp\n"}};
  EXPECT_EQ(unlisted(tree),
            (std::vector<Offence>{{"drivers/c.cpp", 1, "in no CMakeLists.txt"},
                                  {"drivers/memory/b.cpp", 1, "in no CMakeLists.txt"}}));
}

TEST(HygieneBuild, HasNoFolderThatTheLauncherDoesNotWatch) {
  const auto launcher = read("assay");
  ASSERT_FALSE(launcher.empty());
  EXPECT_EQ(unwatched(read("CMakeLists.txt"), launcher), std::vector<std::string>{});
}

TEST(HygieneBuild, ConvictsAFolderThatTheLauncherDoesNotWatch) {
  const std::string cmake =
      "add_subdirectory(harness)\nadd_subdirectory(fresh)\nadd_subdirectory(tests)\n";
  EXPECT_EQ(unwatched(cmake, "find harness drivers -cnewer"), std::vector<std::string>{"fresh"});
}

}  // namespace
}  // namespace assay::hygiene
