#include "harness/run/self_certify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "harness/contract/random.h"
#include "harness/plan/story.h"
#include "harness/run/detail/ledger.h"
#include "harness/run/detail/subject.h"

namespace assay {
namespace {

constexpr std::uint64_t default_seed = 1;
constexpr std::uint64_t default_cases = 200;

template <class Number>
std::optional<Number> from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  Number number{};
  const std::string_view digits(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

template <class Number>
bool is_garbage(const char* name) {
  return std::getenv(name) && !from_environment<Number>(name);
}

std::string fresh_folder() {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("assay-{}", Random(fresh_seed()).hex(12));
  std::filesystem::create_directories(folder);
  return folder.string();
}

}  // namespace

CertifyOptions self_certify_options(std::string driver) {
  CertifyOptions options;
  options.driver = std::move(driver);
  options.profile = built_in_profile("reference").value();
  options.seed = from_environment<std::uint64_t>("ASSAY_SEED").value_or(default_seed);
  if (const auto budget = from_environment<double>("ASSAY_BUDGET"))
    options.budget_seconds = *budget;
  else
    options.cases = default_cases;
  return options;
}

SelfCertification::SelfCertification(std::string name, Make make, Parts parts)
    : driver_{name, "", std::move(make)},
      parts_(parts),
      options_(self_certify_options(std::move(name))) {
  options_.scratch = fresh_folder();
  if (const char* token = std::getenv("ASSAY_REPLAY")) replay_ = load_token(token);
}

SelfCertification::~SelfCertification() {
  std::error_code ignored;
  std::filesystem::remove_all(options_.scratch, ignored);
}

std::vector<std::string> SelfCertification::rules() {
  if (replay_) return {replay_->ok() ? replay_->value().rule : "REPLAY"};
  detail::Subject subject({.info = &driver_,
                           .name = driver_.name,
                           .profile = options_.profile,
                           .seed = 0,
                           .url = std::nullopt,
                           .scratch = options_.scratch,
                           .properties = parts_.properties});
  const auto claimed = subject.claims();
  const auto selection =
      select_rules(claimed.ok() ? *claimed : options_.profile, options_.level, {});
  std::vector<std::string> ids;
  if (selection.ok())
    for (const Rule* rule : selection.value().rules) ids.emplace_back(rule->id);
  return ids;
}

const Report& SelfCertification::report() {
  if (!report_) {
    CertifyListener silent;
    report_ = certify(driver_, options_, parts_, silent);
  }
  return *report_;
}

std::optional<std::string> SelfCertification::replayed() {
  if (!replay_->ok()) return "ASSAY_REPLAY: " + replay_->error().message;
  const ReplayResult result =
      replay(replay_->value(), driver_, parts_, {std::nullopt, options_.scratch});
  if (result.trouble) return *result.trouble;
  if (!result.convicted) return std::nullopt;
  return fmt::format("{}\n\n{}\n{}\n", fmt::join(tell(result.history), "\n"),
                     detail::story_of(result.history, result.judgement, replay_->value().rule),
                     result.match ? fmt::format("MATCH: history {:016x}", result.hash)
                                  : "DIVERGED: " + result.divergence);
}

std::optional<std::string> SelfCertification::objection(const std::string& rule) {
  if (replay_) return replayed();
  const auto& entries = report().rules;
  const auto entry = std::ranges::find(entries, rule, &RuleReport::id);
  if (entry == entries.end()) return fmt::format("{} was not tested", rule);
  if (entry->verdict == Verdict::pass || entry->verdict == Verdict::waived) return std::nullopt;
  const Rule* promise = find_rule(rule);
  std::string text = fmt::format("{} {}: {}\n{}\n", name_of(entry->verdict), rule,
                                 promise ? promise->promise : "", entry->reason);
  if (!entry->story.empty()) text += fmt::format("\n{}\n", entry->story);
  text += fmt::format("\nSeed: {}\n", options_.seed);
  if (!entry->token.empty())
    text += fmt::format("To replay it, run this program with\nASSAY_REPLAY={}\n", entry->token);
  return text;
}

std::optional<std::string> SelfCertification::objection() {
  if (replay_) return std::nullopt;
  std::vector<std::string> lines = report().troubles;
  if (is_garbage<std::uint64_t>("ASSAY_SEED")) lines.push_back("ASSAY_SEED is not a number");
  if (is_garbage<double>("ASSAY_BUDGET"))
    lines.push_back("ASSAY_BUDGET is not a number of seconds");
  std::ranges::copy(report().driver_troubles, std::back_inserter(lines));
  if (lines.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace assay
