// caller: whoever uses an engine may name what he asks for by a key, in whichever way he asks, and
// is told of the one job that has it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/plan/recurring.h"
#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

const NewJob& job_in(const EngineCall& call) { return std::get<Enqueue>(call.request).job; }

// Orders with a key, each with the calls that were made for it.
class Orders {
 public:
  explicit Orders(const EngineView& view) : view_(view) {
    for (const EngineCall& call : view.facts.calls)
      if (std::holds_alternative<Enqueue>(call.request)) add(call);
  }

  void judge() {
    for (const CallerStory& order : view_.facts.callers) {
      if (order.key.empty()) continue;
      if (!passes_the_key_on(order) || !order.answered) continue;
      if (order.how == "duplicate_key")
        is_held_by_another(order);
      else if (!order.job_id.empty())
        is_told_the_truth(order);
    }
  }

 private:
  void add(const EngineCall& call) {
    const NewJob& job = job_in(call);
    if (job.id && !call.refused()) by_id_[*job.id].push_back(&call);
    if (job.key && !call.refused()) by_key_[*job.key].push_back(&call);
    const std::size_t mark = job.payload.rfind(order_mark);
    if (mark == std::string::npos) return;
    by_order_[job.payload.substr(mark)].push_back(&call);
  }

  const std::vector<const EngineCall*>& calls_of(const CallerStory& order) {
    return by_order_[mark_of_order(order.number)];
  }

  std::vector<OpId> ops_of(const CallerStory& order) {
    std::vector<OpId> ops;
    for (const EngineCall* call : calls_of(order)) ops.push_back(call->op);
    if (ops.empty()) ops.push_back(view_.before(order.answered.value_or(order.asked)));
    return ops;
  }

  std::string told(const CallerStory& order, std::string_view what) const {
    return fmt::format("{} asked at {} for order {} ({}) with the key \"{}\"; {}.",
                       view_.worker(order.worker).name, view_.at(order.asked.now), order.number,
                       order.way, order.key, what);
  }

  bool passes_the_key_on(const CallerStory& order) {
    bool all = true;
    for (const EngineCall* call : calls_of(order)) {
      const bool has_it = job_in(*call).key == order.key;
      view_.expect("IDEMP-9", has_it, {call->op}, [&] {
        return told(order, fmt::format("the store was handed the key \"{}\"",
                                       job_in(*call).key.value_or("")));
      });
      all = all && has_it;
    }
    return all;
  }

  // Under the key there is one job, whoever asked first; and it is his.
  void is_told_the_truth(const CallerStory& order) {
    const auto& made = by_id_[order.job_id];
    const bool has_the_key = std::ranges::any_of(
        made, [&](const EngineCall* call) { return job_in(*call).key == order.key; });
    view_.expect("IDEMP-9", has_the_key, ops_of(order), [&] {
      return told(order,
                  fmt::format("he was told of job {}, which has not that key", order.job_id));
    });
    if (order.how == "done") is_done(order);
    if (view_.facts.profile.idem != Idem::return_existing || calls_of(order).empty()) return;
    const NewJob& mine = job_in(*calls_of(order).front());
    const auto [first, is_first] = told_of_.try_emplace({mine.queue, mine.type, order.key}, &order);
    if (is_first) return;
    const CallerStory& earlier = *first->second;
    view_.expect("IDEMP-9", earlier.job_id == order.job_id, ops_of(order), [&] {
      return told(order, fmt::format("order {} was told of job {} under it, and he of job {}",
                                     earlier.number, earlier.job_id, order.job_id));
    });
  }

  // Whoever waits is told of an end that was.
  void is_done(const CallerStory& order) {
    const auto* story = view_.facts.job(order.job_id);
    const bool was_acked = story && std::ranges::any_of(story->changes, [&](std::size_t change) {
                             const EngineCall& call = view_.call(change);
                             return std::holds_alternative<Ack>(call.request) && !call.refused() &&
                                    call.began.place < order.answered->place;
                           });
    view_.expect("IDEMP-9", was_acked, ops_of(order), [&] {
      return told(order, fmt::format("he was told that job {} is done, and nobody had acked it",
                                     order.job_id));
    });
  }

  void is_held_by_another(const CallerStory& order) {
    const bool may_be = view_.facts.profile.idem == Idem::reject_active &&
                        std::ranges::any_of(by_key_[order.key], [&](const EngineCall* call) {
                          return call->began.place < order.answered->place &&
                                 !job_in(*call).payload.ends_with(mark_of_order(order.number));
                        });
    view_.expect("IDEMP-9", may_be, ops_of(order), [&] {
      return told(order, "he was refused as a duplicate, and nobody else has that key");
    });
  }

  const EngineView& view_;
  std::map<std::string, std::vector<const EngineCall*>> by_order_, by_id_, by_key_;
  std::map<std::tuple<std::string, std::string, std::string>, const CallerStory*> told_of_;
};

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  if (facts.callers.empty()) return;
  const EngineView view{facts, verdicts};
  Orders(view).judge();
}

constexpr std::string_view rules[] = {"IDEMP-9"};

}  // namespace

Property caller() {
  return {.family = "caller", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
