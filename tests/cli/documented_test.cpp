// What README.md, CONTRIBUTING.md and docs/ tell people to type exists, and their links lead
// somewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "harness/cli/arguments.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/named_driver.h"
#include "harness/run/certify.h"
#include "reports/file.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  const fs::path root = ASSAY_SOURCE_DIR;
  std::vector<fs::path> found{root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

// The words of a command line, up to a comment or whatever the shell does with its output.
std::vector<std::string> words_of(const std::string& line) {
  static const std::regex word(R"('([^']*)'|([^\s']+))");
  std::vector<std::string> words;
  for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
    const std::string text = (*at)[1].matched ? (*at)[1] : (*at)[2];
    if (text.starts_with("#") || text == "|" || text == ">" || text == ";" || text == "&&") break;
    words.push_back(text);
  }
  return words;
}

// The lines of a page's code blocks that call the program.
std::vector<std::vector<std::string>> commands_of(const std::string& page) {
  static const std::regex call(R"(^\s*(\$ )?\./assay( .*)$)");
  std::vector<std::vector<std::string>> commands;
  bool fenced = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    std::smatch match;
    if ((fenced || line.starts_with("    ")) && std::regex_match(line, match, call))
      commands.push_back(words_of("assay" + match[2].str()));
  }
  return commands;
}

// What is wrong with a command; empty: nothing.
std::string objection(const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const Result<Arguments> parsed = parse(static_cast<int>(argv.size()), argv.data());
  if (!parsed) return parsed.error().message;
  if (const auto* run = std::get_if<RunArguments>(&*parsed))
    if (const auto driver = driver_from(run->driver, run->how, false); !driver)
      return driver.error().message;
  const auto* certify = std::get_if<CertifyArguments>(&*parsed);
  if (!certify) return std::holds_alternative<NoCommand>(*parsed) ? "no command" : "";
  const std::string first = certify->driver == "all" ? "memory" : certify->driver;
  const auto driver = driver_from(first, certify->how, false);
  if (!driver) return driver.error().message;
  const auto level = level_named(certify->level);
  if (!level) return level.error().message;
  const std::string name = certify->profile.value_or(driver->info.default_profile);
  if (name.ends_with(".json")) return "";
  const auto profile = profile_named(name);
  if (!profile) return profile.error().message;
  const auto selection = select_rules(*profile, *level, certify->rules);
  return selection ? "" : selection.error().message;
}

TEST(Documented, CommandsExist) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    for (const auto& words : commands_of(files::read_whole(page).value())) {
      ++seen;
      EXPECT_EQ(objection(words), "") << page << ": " << testing::PrintToString(words);
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(Documented, CommandsThatDoNotExistAreTold) {
  const auto commands = commands_of(
      "assay in a sentence\n```\n./assay certify memroy\n./assay certify memory --seeed 1 # x\n"
      "$ ./assay certify memory --rules 'FENCE-*' | head\n```\n    ./assay certify memory --rules "
      "X-1\n    ./assay --version\n");
  ASSERT_EQ(commands.size(), 5u);
  EXPECT_NE(objection(commands[0]), "");
  EXPECT_NE(objection(commands[1]), "");
  EXPECT_EQ(objection(commands[2]), "");
  EXPECT_NE(objection(commands[3]), "");
  EXPECT_EQ(objection(commands[4]), "");
}

TEST(Documented, LinksLeadSomewhere) {
  static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  for (const fs::path& page : pages()) {
    const std::string text = files::read_whole(page).value();
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << ": " << target;
    }
  }
}

}  // namespace
}  // namespace assay::cli
