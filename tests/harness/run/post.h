// Post: a channel of a run, in virtual time, in the hand of a test, and what it told.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/run/detail/wakeup_post.h"
#include "harness/schedule/virtual_runtime.h"

namespace assay {

using namespace std::chrono_literals;

inline void in_virtual_time(const std::function<void(VirtualRuntime&)>& body) {
  RandomWalk strategy(1);
  VirtualRuntime runtime(strategy, {.fibers = true});
  const VirtualRun run = runtime.run([&] { body(runtime); });
  EXPECT_TRUE(run.is_whole()) << run.told();
}

// "wakeup_received w a #1 receipt 1 until 15000 ms", "wakeup_spoiled a #1 dropped"
inline std::string told_as(const EngineEvent& event) {
  std::string text(name_of(event.kind));
  if (!event.worker.empty()) text += " " + event.worker;
  text += fmt::format(" {} #{}", event.job_id, event.numbers.at("message"));
  if (!event.word.empty()) text += " " + event.word;
  if (event.numbers.contains("receipt"))
    text += fmt::format(" receipt {}", event.numbers.at("receipt"));
  if (event.numbers.contains("until_ms"))
    text += fmt::format(" until {} ms", event.numbers.at("until_ms") - to_ms(run_epoch));
  return text;
}

// Messages stay hidden for 15 s. A dispatcher "d" announces, to queue "q".
class Post {
 public:
  static constexpr Duration visibility = 15s;

  explicit Post(VirtualRuntime& its_runtime, std::uint64_t seed = 1)
      : runtime(its_runtime),
        post(runtime, {.visibility = visibility,
                       .seed = seed,
                       .tell = [this](const EngineEvent& event) {
                         told.push_back(told_as(event));
                       }}) {}

  std::unique_ptr<WakeUpLine> line(const std::string& worker, const std::string& queue = "q") {
    return post.line_of(worker, {queue}, [] { return false; });
  }
  void announce(const std::string& says) { EXPECT_TRUE(dispatcher->announce("q", says).ok()); }
  void announce(const std::vector<std::string>& all) {
    for (const std::string& says : all) announce(says);
  }
  void pass(Duration length) { runtime.clock().sleep_until(runtime.clock().now() + length, {}); }
  Duration since_begin() { return runtime.clock().now() - run_epoch; }

  // What is there within that time; nothing where there is none.
  std::optional<HeardWakeUp> hear(WakeUpLine& line, Duration within = Duration{0}) {
    auto heard = line.receive(runtime.clock().now() + within, {});
    EXPECT_TRUE(heard.ok());
    return heard.ok() ? *heard : std::nullopt;
  }
  // All that is there, each of which is removed.
  std::vector<std::string> hear_all(WakeUpLine& line, Duration within = Duration{0}) {
    const Instant until = runtime.clock().now() + within;
    std::vector<std::string> all;
    while (const auto heard = hear(line, until - runtime.clock().now())) {
      all.push_back(heard->says);
      EXPECT_TRUE(line.remove(heard->receipt).ok());
    }
    return all;
  }
  // Those of one kind.
  std::vector<std::string> told_of(const std::string& kind) const {
    std::vector<std::string> some;
    for (const std::string& one : told)
      if (one.starts_with(kind + " ")) some.push_back(one);
    return some;
  }

  VirtualRuntime& runtime;
  std::vector<std::string> told;
  detail::WakeUpPost post;
  const std::unique_ptr<WakeUpLine> dispatcher = line("d");
};

}  // namespace assay
