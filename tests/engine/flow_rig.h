// FlowRig: a shop in which flows are run, and what of them was run and enqueued.
#pragma once

#include "engine/flows.h"
#include "harness/contract/random.h"
#include "tests/engine/shop.h"

namespace assay::engine {

class FlowRig {
 public:
  explicit FlowRig(Terms terms = {}) : shop(watched(std::move(terms), trouble)) {}

  std::unique_ptr<Flows> flows(const std::string& name = "flows") {
    FlowsOptions options{.name = name, .queue = "q"};
    options.seed = stable_hash(name);
    options.observer = &shop;
    auto made = Flows::make(shop.runtime(), shop.driver(), options);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(*made);
  }

  // Runs jobs of type "t": one whose path is in `failures` fails so often.
  HandlerResult handle(Context& context) {
    const std::string path = path_of(context.job());
    ran.push_back(path);
    const auto fails = failures.find(path);
    if (fails != failures.end() && fails->second-- > 0) return Failure{"no luck at " + path};
    const auto got = context.inputs().result();
    if (!got.ok()) return Failure{got.error().message};
    if (during) during(context);
    return Success{context.job().payload + (*got ? "<" + **got : "")};
  }
  WorkerOptions options(int concurrency = 2) {
    return shop.options([this](Context& context) { return handle(context); }, concurrency);
  }

  static std::string path_of(const Job& job) { return job.key->substr(job.key->rfind(':') + 1); }
  int runs_of(const std::string& path) const {
    return static_cast<int>(std::ranges::count(ran, path));
  }
  FlowView shown(Flows& flows, const std::string& id = "f") {
    auto view = flows.show(id);
    EXPECT_TRUE(view.ok()) << view.error().message;
    return view.ok() ? *view : FlowView{};
  }
  bool comes_to(Flows& flows, FlowState state, const std::string& id = "f", Duration at_most = 1h) {
    for (const Instant deadline = shop.now() + at_most; shop.now() < deadline; shop.pass(500ms))
      if (shown(flows, id).state == state) return true;
    ADD_FAILURE() << "the flow is " << name_of(shown(flows, id).state);
    return false;
  }
  std::unique_ptr<Session> session() {
    return std::move(shop.driver().open({"hand", Role::admin})).value();
  }
  JobState state_of(const std::string& path, const std::string& id = "f") {
    return shop.state("flow:" + id + ":" + path);
  }

  // Each job that a commit made, and how often; "again" where it was there already.
  std::map<std::string, int> made;
  std::vector<std::string> ran;
  std::map<std::string, int> failures;
  std::function<void(Context&)> during;
  Trouble trouble;
  Shop shop;

 private:
  // Sees what took effect, whether its answer arrives or not.
  Terms watched(Terms terms, Trouble& with) {
    if (terms.trouble) with = *terms.trouble;
    with.after_commit = [this, next = with.after_commit](
                            const Commit& commit,
                            const Result<Committed>& answer) -> std::optional<Error> {
      if (answer.ok() && answer->applied) note(commit, *answer);
      return next ? next(commit, answer) : std::nullopt;
    };
    terms.trouble = &with;
    return terms;
  }
  void note(const Commit& commit, const Committed& done) {
    bool enqueues = false;
    const auto add = [&](const Enqueued& one) {
      ++made[one.existed ? "again" : one.id];
      enqueues = true;
    };
    for (const Counted& counted : done.counts) std::ranges::for_each(counted.then, add);
    std::ranges::for_each(done.enqueued, add);
    EXPECT_FALSE(enqueues && is_stopped_) << "something is enqueued though the flow is stopped";
    const std::string stop = "flow/f/t/";
    for (const Put& put : commit.puts) is_stopped_ = is_stopped_ || put.key == stop;
    for (const Drop& drop : commit.drops)
      if (drop.key == stop && drop.if_version != 0) is_stopped_ = false;
  }

  bool is_stopped_ = false;  // the flow "f"
};

}  // namespace assay::engine
