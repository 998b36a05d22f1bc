#include "engine/under_test.h"

namespace assay::engine {
namespace {

// Of what a worker tells of itself, only what nobody else could see.
class Teller final : public Observer {
 public:
  Teller(std::function<void(EngineEvent)> tell, std::function<bool(const EngineEvent&)> tells)
      : tell_(std::move(tell)), tells_(std::move(tells)) {}

  void see(const Event& event) override {
    if (const auto* answered = std::get_if<SettleAnswered>(&event.what)) {
      if (answered->error)
        say(EngineEvent::Kind::surfaced, event, std::string(assay::name_of(answered->error->code)));
    } else if (const auto* held = std::get_if<NotDispatched>(&event.what)) {
      say(EngineEvent::Kind::held_back, event, std::string(name_of(held->why)));
    }
  }

 private:
  void say(EngineEvent::Kind kind, const Event& event, std::string word) {
    EngineEvent said{.kind = kind};
    said.job_id = event.delivery.job_id;
    said.run = event.delivery.run;
    said.word = std::move(word);
    if (!tells_ || tells_(said)) tell_(std::move(said));
  }

  std::function<void(EngineEvent)> tell_;
  std::function<bool(const EngineEvent&)> tells_;
};

Handler handler_of(const Acting& act) {
  return [act](Context& context) -> HandlerResult {
    const ActResult result = act({.job = context.job(),
                                  .run = context.run(),
                                  .clock = context.clock(),
                                  .stop = context.stop(),
                                  .why = [&] { return std::string(name_of(context.why())); }});
    if (result.ok) return Success{};
    return Failure{result.error, result.unrecoverable};
  };
}

WorkerOptions options_of(const EngineTerms& terms, const Profile& profile, const Acting& act) {
  WorkerOptions options;
  options.name = terms.spec.name;
  options.queues = terms.spec.queues;
  options.concurrency = terms.spec.concurrency;
  options.lease = terms.spec.lease;
  options.group_acks = terms.spec.group_acks;
  options.grace = terms.spec.grace;
  options.interruption = terms.spec.interruption;
  options.seed = terms.seed;
  if (terms.spec.most_runs && profile.decider == Decider::engine) {
    options.policy = policy_of(profile);
    options.policy->most_runs = terms.spec.most_runs;
  }
  for (const std::string& type : terms.types) {
    HandlerSpec& spec = options.handlers[type];
    spec.run = handler_of(act);
    spec.timeout = terms.spec.timeout;
    spec.concurrency = terms.spec.type_limit;
    if (terms.spec.rate_every) spec.rate = Rate{*terms.spec.rate_every, 1};
  }
  return options;
}

class UnderTest final : public RunningWorker {
 public:
  UnderTest(const EngineTerms& terms, Alterations alterations)
      : alterations_(std::move(alterations)),
        teller_(terms.tell, alterations_.tells),
        driver_(terms.driver, alterations_.driver) {
    Acting act = terms.act;
    if (alterations_.act)
      act = [given = terms.act, altered = alterations_.act](const Errand& errand) {
        return altered(errand, given);
      };
    WorkerOptions options = options_of(terms, terms.driver.profile(), act);
    options.observer = &teller_;
    if (alterations_.options) alterations_.options(options, terms.driver.profile());
    made_ = Worker::make(terms.runtime, driver_, std::move(options));
  }

  Status start() override {
    if (!made_.ok()) return made_.error();
    return (*made_)->start();
  }

  void shutdown() override {
    if (!made_.ok()) return;
    if (alterations_.shutdown)
      alterations_.shutdown(**made_);
    else
      static_cast<void>((*made_)->shutdown());
  }

 private:
  const Alterations alterations_;
  Teller teller_;
  InterceptedDriver driver_;
  Result<std::unique_ptr<Worker>> made_ = Error{};
};

EngineInfo made_with(std::function<Alterations()> alter) {
  const WorkerOptions usual;
  EngineInfo info;
  info.longest_poll = usual.poll_max;
  info.longest_outage = usual.outage_max;
  info.capabilities = {"concurrency_limit", "rate_limit"};
  info.make = [alter = std::move(alter)](
                  const EngineTerms& terms) -> Result<std::unique_ptr<RunningWorker>> {
    return std::unique_ptr<RunningWorker>(new UnderTest(terms, alter ? alter() : Alterations{}));
  };
  return info;
}

}  // namespace

EngineInfo reference() {
  EngineInfo info = made_with(nullptr);
  info.name = "reference";
  info.summary = "the engine that ships with Assay";
  return info;
}

EngineInfo mutant(std::string name, std::vector<std::string_view> broken, std::string summary,
                  std::function<Alterations()> alter) {
  EngineInfo info = made_with(std::move(alter));
  info.name = "mutant:" + name;
  info.summary = std::move(summary);
  info.broken = std::move(broken);
  return info;
}

}  // namespace assay::engine
