#include "harness/run/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "harness/history/jsonl.h"
#include "harness/judge/alike.h"
#include "harness/plan/generate.h"
#include "harness/plan/shrink.h"
#include "harness/plan/story.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/needs.h"
#include "harness/run/detail/subject.h"

namespace assay {
namespace {

using detail::CaseResult;
using detail::CaseSource;
using detail::Subject;

constexpr double shrink_seconds = 30;
constexpr int patience = 3;  // a driver that broke so often is not asked again

Profile without_backoff(Profile profile) {
  profile.backoff = {Duration{0}, Duration{0}};
  return profile;
}

std::unique_ptr<Subject> subject_of(const ComparedDriver& driver, const Profile& profile,
                                    std::uint64_t seed, const std::string& scratch,
                                    const std::string& logs = {}) {
  return std::make_unique<Subject>(detail::SubjectSpec{.info = driver.info,
                                                       .name = driver.name,
                                                       .profile = profile,
                                                       .seed = seed,
                                                       .url = driver.url,
                                                       .scratch = scratch,
                                                       .log_folder = logs,
                                                       .properties = {}});
}

std::string step_of(const History& history, OpId op) {
  const std::string number = fmt::format("{}. ", op + 1);
  for (const std::string& line : tell(history))
    if (line.starts_with(number)) return line.substr(number.size());
  return "nothing";
}

std::string told(const Comparison& comparison, const History& one, const History& other) {
  if (comparison.likeness != Likeness::different)
    return fmt::format("{} and {} behave alike", one.driver, other.driver);
  return fmt::format("step {}: {}.\non {}: {}\non {}: {}", comparison.op + 1, comparison.why,
                     one.driver, step_of(one, comparison.op), other.driver,
                     step_of(other, comparison.op));
}

struct Both {
  CaseResult one, other;
  Comparison comparison;

  bool ran() const {
    return !one.driver_trouble && !other.driver_trouble && !one.own_trouble && !other.own_trouble;
  }
  bool differ() const { return ran() && comparison.likeness == Likeness::different; }
};

Both run_both(const Plan& plan, Subject& first, Subject& second) {
  Both both{first.run(plan), second.run(plan), {}};
  if (both.ran()) both.comparison = compare(both.one.history, both.other.history);
  return both;
}

// Two that are known to differ must be found to.
std::optional<std::string> canary_trouble(const ComparedDriver& first,
                                          const CompareOptions& options, const Parts& parts) {
  if (!parts.canary) return "no canary: nothing shows that this harness tells drivers apart";
  const auto profile = built_in_profile(parts.canary->default_profile);
  if (!profile) return fmt::format("there is no profile {}", parts.canary->default_profile);
  const std::uint64_t seed = detail::driver_seed(options.seed);
  const auto one = subject_of(first, *profile, seed, options.scratch);
  const auto canary =
      subject_of({parts.canary, parts.canary->name, {}, {}}, *profile, seed, options.scratch);
  for (const Scenario& scenario : parts.scenarios) {
    if (std::ranges::find(scenario.triggers, parts.canary_rule) == scenario.triggers.end() ||
        !detail::meets(*profile, scenario.needs))
      continue;
    // Where the first driver does not even answer, the comparisons will say so.
    const Both both = run_both(scenario.plan(*profile), *one, *canary);
    if (both.differ() || !both.ran() || both.comparison.likeness == Likeness::unknown)
      return std::nullopt;
  }
  return fmt::format("the canary {} was not told apart from {}: this run is void",
                     parts.canary->name, first.name);
}

// One of the drivers beside the first.
struct Other {
  const ComparedDriver* driver;
  std::unique_ptr<Subject> subject;
  int broken = 0;
  std::optional<std::string> dropped = {};  // why it is not asked any more
};

struct Witness {
  Other* other;
  Plan plan;
  History one, theirs;
  Comparison comparison;
};

class Comparing {
 public:
  Comparing(std::span<const ComparedDriver> drivers, const CompareOptions& options,
            const Parts& parts, CertifyListener& listener, std::stop_token stop)
      : drivers_(drivers),
        options_(options),
        parts_(parts),
        listener_(listener),
        stop_(std::move(stop)),
        profile_(without_backoff(options.profile)) {
    report_.rule.id = alike_rule;
    for (const ComparedDriver& driver : drivers) report_.drivers.push_back(driver.name);
  }

  LikenessReport run() {
    try {
      if (gather()) compare_all();
      decide();
      if (witness_) exhibit();
    } catch (const std::exception& thrown) {
      report_.troubles.push_back(fmt::format("the harness itself failed: {}", thrown.what()));
    }
    report_.seconds = watch_.seconds();
    return std::move(report_);
  }

 private:
  // False: there are no two to compare.
  bool gather() {
    const std::uint64_t seed = detail::driver_seed(options_.seed);
    for (const ComparedDriver& driver : drivers_) {
      if (driver.unusable) {
        absent_.push_back(fmt::format("{}: {}", driver.name, *driver.unusable));
      } else if (auto subject =
                     subject_of(driver, profile_, seed, options_.scratch, options_.log_folder);
                 auto claimed = subject->claims()) {
        if (!first_) {
          first_ = &driver;
          ours_ = std::move(subject);
        } else {
          others_.push_back(std::make_unique<Other>(Other{&driver, std::move(subject)}));
        }
      } else {
        absent_.push_back(fmt::format("{}: {}", driver.name, claimed.error().message));
      }
    }
    if (others_.empty()) return false;
    if (auto trouble = canary_trouble(*first_, options_, parts_)) {
      report_.troubles.push_back(std::move(*trouble));
      return false;
    }
    return true;
  }

  CertifyOptions case_options() const {
    CertifyOptions options;
    options.profile = profile_;
    options.seed = options_.seed;
    options.cases = options_.cases;
    options.budget_seconds = options_.budget_seconds;
    return options;
  }

  void compare_all() {
    const CertifyOptions options = case_options();
    const CaseSource source(profile_, options, parts_, {});
    for (std::uint64_t number = 0; wanted(number, source, options); ++number) {
      const detail::Case one = source.at(number);
      listener_.case_begins(one.plan, encode(token(one, *others_.front()->driver)));
      compare_on_all(one);
      ++report_.plans;
      listener_.progress(report_.plans, source.count(), watch_.seconds(), witness_ ? 1 : 0);
      const bool nobody =
          std::ranges::all_of(others_, [](const auto& o) { return o->dropped.has_value(); });
      if (first_dropped_ || nobody) break;
      if (witness_ && options_.fail_fast) {
        report_.partial = true;
        break;
      }
    }
  }

  bool wanted(std::uint64_t number, const CaseSource& source, const CertifyOptions& options) {
    if (source.count() && number >= *source.count()) return false;
    if (number >= source.scenarios() && watch_.seconds() >= time_limit_seconds(options))
      return false;
    report_.partial = report_.partial || stop_.stop_requested();
    return !stop_.stop_requested();
  }

  ReplayToken token(const detail::Case& one, const ComparedDriver& other) const {
    CertifyOptions options = case_options();
    options.driver = fmt::format("{},{}", first_->name, other.name);
    ReplayToken token = CaseSource(profile_, options, {}, {}).token(one);
    token.rule = alike_rule;
    return token;
  }

  void compare_on_all(const detail::Case& one) {
    const CaseResult ours = ours_->run(one.plan);
    if (ours.driver_trouble) {
      broke(first_->name, *ours.driver_trouble);
      if (++first_broken_ >= patience) first_dropped_ = ours.driver_trouble;
      return;
    }
    for (const auto& other : others_) {
      if (other->dropped) continue;
      const CaseResult theirs = other->subject->run(one.plan);
      if (theirs.driver_trouble) {
        broke(other->driver->name, *theirs.driver_trouble);
        if (++other->broken >= patience) other->dropped = theirs.driver_trouble;
        continue;
      }
      note(one, *other, ours.history, theirs.history);
    }
  }

  void broke(const std::string& name, const std::string& how) {
    if (report_.driver_troubles.size() < 10)
      report_.driver_troubles.push_back(fmt::format("{}: {}", name, how));
  }

  void note(const detail::Case& one, Other& other, const History& ours, const History& theirs) {
    Comparison comparison = compare(ours, theirs);
    report_.answers += comparison.answers;
    switch (comparison.likeness) {
      case Likeness::alike:
        ++report_.rule.triggered;
        break;
      case Likeness::parted:
        ++report_.parted;
        break;
      case Likeness::unknown:
        ++report_.unknown;
        break;
      case Likeness::different:
        ++report_.rule.triggered;
        if (std::ranges::find(different_, other.driver->name) == different_.end())
          different_.push_back(other.driver->name);
        if (!witness_ || one.plan.steps.size() < witness_->plan.steps.size())
          witness_ = Witness{&other, one.plan, ours, theirs, std::move(comparison)};
        break;
    }
  }

  void decide() {
    report_.rule.cases = report_.plans;
    const auto verdict = [&](Verdict verdict, std::string reason) {
      report_.rule.verdict = verdict;
      report_.rule.reason = std::move(reason);
    };
    for (const auto& other : others_)
      if (other->dropped) absent_.push_back(*other->dropped);
    if (first_dropped_) absent_.push_back(*first_dropped_);
    if (witness_) return verdict(Verdict::fail, "convicted in " + witness_->plan.name);
    if (!report_.troubles.empty()) return verdict(Verdict::missing, "not run: the run is void");
    if (!absent_.empty())
      return verdict(others_.empty() ? Verdict::missing : Verdict::error,
                     fmt::format("not all were compared: {}", fmt::join(absent_, "; ")));
    if (others_.empty()) return verdict(Verdict::missing, "it takes two drivers to compare");
    if (report_.rule.triggered > 0) return verdict(Verdict::pass, "");
    if (report_.unknown > 0)
      return verdict(Verdict::inconclusive, "nobody knows how some calls ended, in every plan");
    if (report_.parted > 0)
      return verdict(Verdict::inconclusive,
                     "in every plan the drivers made another choice that the contract leaves open");
    verdict(Verdict::vacuous, "no plan was run: nothing was compared");
  }

  // As small as the budget allows, with its story and its token.
  void exhibit() {
    RuleReport& rule = report_.rule;
    listener_.shrinking(rule.id);
    Subject& second = *witness_->other->subject;
    const std::size_t before = witness_->plan.steps.size();
    const Stopwatch watch;
    auto fails = [&](const Plan& plan) {
      return watch.seconds() < shrink_seconds && !stop_.stop_requested() &&
             run_both(plan, *ours_, second).differ();
    };
    Plan plan = witness_->plan;
    if (fails(plan)) {
      plan = shrink(plan, fails, options_.shrink_runs).plan;
      plan.name = fmt::format("shrunk/{}/{}", rule.id, witness_->plan.name);
      if (Both both = run_both(plan, *ours_, second); both.differ()) {
        witness_->plan = plan;
        witness_->one = std::move(both.one.history);
        witness_->theirs = std::move(both.other.history);
        witness_->comparison = std::move(both.comparison);
        rule.reason += fmt::format("; shrunk from {} steps to {}", before, plan.steps.size());
      }
    } else {
      rule.reason +=
          "; not found again when the same plan ran again: a driver is not deterministic";
    }
    if (different_.size() > 1)
      rule.reason += fmt::format("; unlike {} are {}", first_->name, fmt::join(different_, ", "));
    present();
    listener_.convicted(rule);
  }

  void present() {
    RuleReport& rule = report_.rule;
    const History& theirs = witness_->theirs;
    ReplayToken token = this->token({}, *witness_->other->driver);
    token.plan = witness_->plan;
    token.plan_seed.reset();
    token.history_hash = history_hash(theirs);
    token.history_trace = trace_of(theirs);
    rule.story = fmt::format("{}\n\n{}", fmt::join(tell(theirs), "\n"),
                             told(witness_->comparison, witness_->one, theirs));
    rule.token = encode(token);
    rule.history = theirs;
    rule.plan = witness_->plan;
  }

  std::span<const ComparedDriver> drivers_;
  const CompareOptions& options_;
  const Parts& parts_;
  CertifyListener& listener_;
  std::stop_token stop_;
  Profile profile_;
  Stopwatch watch_;
  LikenessReport report_;
  const ComparedDriver* first_ = nullptr;
  std::unique_ptr<Subject> ours_;
  std::vector<std::unique_ptr<Other>> others_;
  std::vector<std::string> absent_;  // who was not compared, and why
  int first_broken_ = 0;
  std::optional<std::string> first_dropped_;
  std::vector<std::string> different_;
  std::optional<Witness> witness_;
};

}  // namespace

LikenessReport compare_drivers(std::span<const ComparedDriver> drivers,
                               const CompareOptions& options, const Parts& parts,
                               CertifyListener& listener, std::stop_token stop) {
  return Comparing(drivers, options, parts, listener, std::move(stop)).run();
}

std::vector<std::string> compared_in(const ReplayToken& token) {
  const std::size_t comma = token.driver.find(',');
  if (token.rule != alike_rule || comma == std::string::npos) return {};
  return {token.driver.substr(0, comma), token.driver.substr(comma + 1)};
}

PairReplay replay_pair(const ReplayToken& token, const ComparedDriver& first,
                       const ComparedDriver& second, const std::string& scratch) {
  PairReplay replayed;
  const auto one = subject_of(first, token.profile, token.driver_seed, scratch);
  const auto other = subject_of(second, token.profile, token.driver_seed, scratch);
  const Plan plan = token.plan ? *token.plan : generate(token.profile, token.plan_seed.value_or(0));
  Both both = run_both(plan, *one, *other);
  ReplayResult& result = replayed.result;
  for (const CaseResult* ran : {&both.one, &both.other})
    for (const auto& trouble : {ran->driver_trouble, ran->own_trouble})
      if (trouble && !result.trouble) result.trouble = trouble;
  result.convicted = both.differ();
  replayed.story = told(both.comparison, both.one.history, both.other.history);
  result.history = std::move(both.other.history);
  result.hash = history_hash(result.history);
  result.match = result.hash == token.history_hash;
  if (!result.match)
    result.divergence = fmt::format("the history's hash was {:016x} and is now {:016x}",
                                    token.history_hash, result.hash);
  return replayed;
}

}  // namespace assay
