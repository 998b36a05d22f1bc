#include "harness/run/detail/subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/run.h"

namespace assay::detail {
namespace {

template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::internal, fmt::format("it threw: {}", thrown.what())};
  } catch (...) {
    return Error{ErrorCode::internal, "it threw something that is no exception"};
  }
}

std::string told(const Error& error) {
  return error.message.empty() ? std::string(name_of(error.code))
                               : fmt::format("{}: {}", name_of(error.code), error.message);
}

// At this level no fault is injected: a store that fails does so by itself.
const Error* failure_of_the_store(const History& history) {
  for (const Event& event : history.events) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    if (end && end->outcome == OutcomeKind::refused &&
        (end->error.code == ErrorCode::unavailable || end->error.code == ErrorCode::internal))
      return &end->error;
  }
  return nullptr;
}

}  // namespace

bool convicts(const Judgement& judgement, std::string_view rule) {
  if (const auto tally = judgement.tallies.find(rule); tally != judgement.tallies.end())
    if (tally->second.convicted > 0) return true;
  return std::ranges::any_of(judgement.findings, [&](const auto& f) { return f.rule == rule; });
}

Plan as_it_went(Plan plan, const CaseResult& result) {
  if (plan.schedule) plan.schedule = {.kind = Schedule::Kind::choices, .choices = result.moves};
  return plan;
}

Status Subject::make() {
  if (driver_) return Done{};
  if (!carrier_)
    carrier_ =
        spec_.info->interleaving == Interleaving::fibers ? fiber_carrier() : thread_carrier();
  auto made = guarded([&] {
    Clock& clock = spec_.profile.in_real_time() ? static_cast<Clock&>(real_) : virtual_;
    return spec_.info->make(DriverOptions{spec_.profile, clock, spec_.seed, spec_.url,
                                          spec_.scratch, spec_.log_folder, &carrier_->gates()});
  });
  if (!made.ok()) return made.error();
  if (!*made) return Error{ErrorCode::internal, "its factory gave no driver"};
  driver_ = std::move(*made);
  return Done{};
}

Result<Profile> Subject::claims() {
  if (auto made = make(); !made.ok()) return made.error();
  return guarded([&]() -> Result<Profile> { return driver_->profile(); });
}

Status Subject::end() {
  if (!driver_) return Done{};
  const auto ended = guarded([&] { return driver_->end(); });
  driver_.reset();
  return ended;
}

CaseResult Subject::run(const Plan& plan, Strategy* strategy) {
  CaseResult result;
  if (auto made = make(); !made.ok())
    result.driver_trouble = "the driver cannot be made: " + told(made.error());
  else
    drive(plan, strategy, result);
  judge(result);
  if (result.driver_trouble) driver_.reset();
  return result;
}

void Subject::drive(const Plan& plan, Strategy* strategy, CaseResult& result) {
  auto ran = guarded([&]() -> Result<RunResult> {
    return assay::run(plan, *driver_, spec_.name,
                      {carrier_.get(), spec_.info->interleaving, strategy, before_call_});
  });
  if (!ran.ok()) {
    result.driver_trouble = fmt::format("the driver broke in {}: {}", plan.name, told(ran.error()));
    return;
  }
  result.history = std::move(ran->history);
  result.moves = std::move(ran->moves);
  result.lost_sight = ran->lost_sight;
  if (ran->hung) leave_behind();
  if (const Error* failure = failure_of_the_store(result.history))
    result.driver_trouble = fmt::format("the store failed in {}: {}", plan.name, told(*failure));
  if (ran->trouble)
    result.driver_trouble =
        fmt::format("the driver broke in {}: {}", plan.name, told(*ran->trouble));
}

// A client that never came back still uses both.
void Subject::leave_behind() {
  static_cast<void>(driver_.release());
  static_cast<void>(carrier_.release());
}

void Subject::judge(CaseResult& result) {
  auto judged = guarded([&]() -> Result<Judgement> {
    if (!judge_ || judge_->profile() != result.history.profile)
      judge_.emplace(result.history.profile, spec_.properties);
    return judge_->judge(result.history);
  });
  if (judged.ok()) {
    result.judgement = std::move(*judged);
    return;
  }
  result.own_trouble = "judging broke off: " + told(judged.error());
  judge_.reset();
}

}  // namespace assay::detail
