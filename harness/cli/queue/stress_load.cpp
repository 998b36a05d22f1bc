#include "harness/cli/queue/stress_load.h"

#include <fmt/format.h>

#include "engine/handlers/echo.h"
#include "engine/handlers/fail.h"
#include "engine/handlers/flaky.h"
#include "harness/contract/random.h"

namespace assay::cli::queue {

const std::vector<std::string>& StressLoad::queues() {
  static const std::vector<std::string> names{"stress_a", "stress_b"};
  return names;
}

engine::Submission StressLoad::job(std::int64_t number) const {
  Random dice = Random(options_.seed).fork(fmt::format("job/{}", number));
  const auto percent = [&] { return static_cast<int>(dice.below(100)); };
  engine::Submission job;
  job.id = fmt::format("job-{}-{}", number, dice.hex(8));
  job.queue = queues()[dice.below(queues().size())];
  const int kind = percent();
  if (kind < options_.failing)
    job.type = "failing";
  else if (kind < options_.failing + options_.flaky)
    job.type = "flaky";
  else if (kind < options_.failing + options_.flaky + options_.children)
    job.type = "parent";
  else
    job.type = "plain";
  job.payload = dice.hex(static_cast<int>(dice.below(64)));
  if (percent() < options_.delayed)
    job.delay = Duration{static_cast<std::int64_t>(dice.below(1'500)) + 1};
  return job;
}

// Takes its time, which depends on the seed, the job and the run alone.
engine::Handler StressLoad::working(engine::Handler then) const {
  return [seed = options_.seed, work = options_.work,
          then = std::move(then)](engine::Context& context) -> engine::HandlerResult {
    Random dice = Random(seed).fork(fmt::format("work/{}/{}", context.job().id, context.run()));
    const auto most = static_cast<std::uint64_t>(2 * work.count() + 1);
    const Duration length{static_cast<std::int64_t>(dice.below(most))};
    context.clock().sleep_until(context.clock().now() + length, context.stop());
    if (context.stop().stop_requested()) return engine::Failure{"interrupted"};
    return then(context);
  };
}

std::map<std::string, engine::HandlerSpec> StressLoad::handlers(engine::Client& client) const {
  std::map<std::string, engine::HandlerSpec> all;
  all["plain"].run = working(engine::handlers::echo());
  all["failing"].run = working(engine::handlers::fail());
  all["flaky"].run = working(engine::handlers::flaky(options_.seed, 50));
  // A second run finds the children of the first: they have the same names.
  all["parent"].run =
      working([&client, seed = options_.seed](engine::Context& context) -> engine::HandlerResult {
        Random dice = Random(seed).fork("children/" + context.job().id);
        const auto count = dice.below(3) + 1;
        for (std::uint64_t i = 1; i <= count; ++i) {
          engine::Submission child;
          child.id = fmt::format("{}-child-{}", context.job().id, i);
          child.type = "plain";
          child.queue = context.job().queue;
          const auto made = client.submit(child);
          if (!made && made.error().code != ErrorCode::duplicate_id)
            return engine::Failure{made.error().message};
        }
        return engine::Success{};
      });
  return all;
}

}  // namespace assay::cli::queue
