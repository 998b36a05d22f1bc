#include "engine/under_test.h"

#include "engine/client.h"
#include "engine/detail/dispatcher_under_test.h"
#include "engine/detail/flow_names.h"
#include "engine/detail/stage_channel.h"
#include "engine/driver_wakeups.h"
#include "engine/ear.h"
#include "engine/scheduler.h"

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

// Good for as long as the handler runs.
ErrandOutputs outputs_of(Context& context) {
  ErrandOutputs outputs;
  outputs.put = [&](const std::string& name, const std::string& value) {
    return context.effects().put(name, value);
  };
  outputs.append = [&](const std::string& name, const std::string& unique,
                       const std::string& value) {
    return context.effects().append(name, unique, value);
  };
  outputs.commit = [&](const std::string& name, const std::string& value) -> Result<std::string> {
    const auto kept = context.effects().commit(name, value);
    if (!kept.ok()) return kept.error();
    return kept->output.value;
  };
  return outputs;
}

Handler handler_of(const Acting& act) {
  return [act](Context& context) -> HandlerResult {
    const ActResult result = act({.job = context.job(),
                                  .run = context.run(),
                                  .clock = context.clock(),
                                  .stop = context.stop(),
                                  .why = [&] { return std::string(name_of(context.why())); },
                                  .outputs = outputs_of(context)});
    if (result.ok) {
      Success success;
      for (const SentEvent& event : result.events)
        success.events.push_back({event.target, event.body});
      return success;
    }
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
  options.outbox = terms.spec.outbox;
  options.looks_itself = terms.spec.looks_itself;
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
    if (alterations_.given) alterations_.given(terms);
    Acting act = terms.act;
    if (alterations_.act)
      act = [given = terms.act, altered = alterations_.act](const Errand& errand) {
        return altered(errand, given);
      };
    WorkerOptions options = options_of(terms, terms.driver.profile(), act);
    options.observer = &teller_;
    if (terms.spec.hears && terms.hears_its_driver) {
      auto made = DriverWakeUps::make(driver_, terms.spec.queues, terms.runtime.clock());
      if (made.ok()) of_driver_ = std::move(*made);
      options.wakeups = of_driver_.get();
    } else if (terms.spec.hears) {
      listen(terms);
      options.wakeups = ear_.get();
      options.observer = ear_.get();
    }
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
  void listen(const EngineTerms& terms) {
    channels_.push_back(
        std::make_unique<detail::StageChannel>(terms.wakeups, terms.spec.queues.front()));
    if (alterations_.channel) channels_.push_back(alterations_.channel(*channels_.back()));
    EarOptions options{.name = terms.spec.name + "/messages", .observer = &teller_};
    if (terms.spec.queues.size() == 1) options.queue = terms.spec.queues.front();
    ear_ = std::make_unique<Ear>(terms.runtime, *channels_.back(), terms.driver.profile(), options);
  }

  const Alterations alterations_;
  Teller teller_;
  InterceptedDriver driver_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<Ear> ear_;                  // outlives the worker
  std::unique_ptr<DriverWakeUps> of_driver_;  // so does this
  Result<std::unique_ptr<Worker>> made_ = Error{};
};

// Makes the jobs of schedules.
class SchedulerUnderTest final : public RunningWorker {
 public:
  SchedulerUnderTest(const EngineTerms& terms, Alterations alterations)
      : driver_(terms.driver, std::move(alterations.driver)),
        made_(Scheduler::make(terms.runtime, driver_,
                              {.name = terms.spec.name, .seed = terms.seed})) {}

  Status start() override { return made_.ok() ? (*made_)->start() : Status(made_.error()); }
  void shutdown() override {
    if (made_.ok()) (*made_)->shutdown();
  }

 private:
  InterceptedDriver driver_;
  Result<std::unique_ptr<Scheduler>> made_;
};

// Hands jobs in.
class CallerUnderTest final : public RunningWorker {
 public:
  CallerUnderTest(const EngineTerms& terms, Alterations alterations)
      : driver_(terms.driver, std::move(alterations.driver)),
        made_(Client::make(terms.runtime, driver_, {.name = terms.spec.name, .seed = terms.seed})) {
  }

  Status start() override { return made_.ok() ? Status(Done{}) : Status(made_.error()); }
  void shutdown() override {}

  Result<CallerAnswer> ask(const CallerOrder& order) override {
    const NewJob& job = order.job;
    const Submission submission{.type = job.type,
                                .payload = job.payload,
                                .queue = job.queue,
                                .key = job.key,
                                .limit = job.max_attempts};
    if (order.way == CallerOrder::Way::submit_and_wait) {
      const auto waited = (*made_)->submit_and_wait(submission, order.patience);
      if (!waited.ok()) return waited.error();
      return CallerAnswer{waited->id, waited->existed, waited->state};
    }
    const auto made = order.way == CallerOrder::Way::submit
                          ? (*made_)->submit(submission)
                          : (*made_)->send({job.queue, job.payload}, job.key);
    if (!made.ok()) return made.error();
    return CallerAnswer{made->id, made->existed};
  }

 private:
  InterceptedDriver driver_;
  Result<std::unique_ptr<Client>> made_;
};

Status change_schedule(Clock& clock, Session& session, const ScheduleOrder& order) {
  Schedules schedules(clock, session);
  const Recurring& what = order.recurring;
  if (order.kind == ScheduleOrder::Kind::pause) return schedules.pause(what.name);
  if (order.kind == ScheduleOrder::Kind::resume) return schedules.resume(what.name);
  Schedule schedule;
  schedule.name = what.name;
  schedule.cron = what.cron;
  schedule.queue = order.job.queue;
  schedule.type = order.job.type;
  schedule.payload = order.job.payload;
  schedule.limit = order.job.max_attempts;
  schedule.missed = *missed_runs_from(assay::name_of(what.missed));
  schedule.catch_up = what.bound;
  schedule.in_time = what.in_time;
  return schedules.declare(schedule);
}

Result<std::unique_ptr<RunningWorker>> made_for(const EngineTerms& terms, Alterations alterations) {
  using Made = std::unique_ptr<RunningWorker>;
  switch (terms.spec.kind) {
    case WorkerSpec::Kind::dispatcher:
      return detail::dispatcher_under_test(terms, std::move(alterations));
    case WorkerSpec::Kind::scheduler:
      return Made(new SchedulerUnderTest(terms, std::move(alterations)));
    case WorkerSpec::Kind::caller:
      return Made(new CallerUnderTest(terms, std::move(alterations)));
    case WorkerSpec::Kind::worker:
      break;
  }
  return Made(new UnderTest(terms, std::move(alterations)));
}

EngineInfo made_with(std::function<Alterations()> alter) {
  const WorkerOptions usual;
  EngineInfo info;
  info.longest_poll = usual.poll_max;
  info.longest_outage = usual.outage_max;
  info.capabilities = {"concurrency_limit", "cron", "outbox", "rate_limit", "wakeups", "workflows"};
  info.own_types = {detail::steward_type};
  const auto altered = [alter = std::move(alter)] { return alter ? alter() : Alterations{}; };
  info.desk = [altered](Runtime& runtime, Driver& driver, const std::string& name,
                        std::uint64_t seed) {
    return make_desk(runtime, driver, name, seed, altered());
  };
  info.schedule = change_schedule;
  info.make = [altered](const EngineTerms& terms) { return made_for(terms, altered()); };
  info.row_in = detail::row_seen;
  info.make_client = [altered](Runtime& runtime, Driver& driver, std::uint64_t seed) {
    return detail::client_under_test(runtime, driver, seed, altered());
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
