// WorkerOrder: what a process that is one worker of an engine is told to be, one line of JSON on
// its stdin; and the lines that it says on its stdout.
//
//   STAMP EVENT       what happened, as a history has it (harness/history/jsonl.h), written when it
//                     happens: before a call is made, and when it was answered
//   !SENTENCE         it cannot work; nothing follows
//
// "stop" on its stdin ends it in good order, the end of its input at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/plan.h"

namespace assay {

struct WorkerOrder {
  std::string driver;              // by name
  std::optional<std::string> url;  // of its store
  std::string name_space;          // is there
  Profile profile;
  std::string engine;  // by name
  WorkerSpec worker;
  std::uint64_t seed = 0;
};

std::string to_json(const WorkerOrder& order);
Result<WorkerOrder> worker_order_from(std::string_view json);

inline constexpr std::string_view stop_working = "stop";
inline constexpr char cannot_work = '!';

// "1234 {...}": nothing where it is no such line.
struct StampedLine {
  std::int64_t stamp = 0;
  std::string event;
};
std::string stamped(std::int64_t stamp, std::string_view event);  // without its end
std::optional<StampedLine> stamped_line(std::string_view line);

}  // namespace assay
