#include "faults/worker/detail/processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "harness/contract/clock.h"

namespace assay::faults {

Result<std::string> end_process(Surroundings& around, int client, int signal) {
  constexpr double patience_seconds = 10;
  const auto process = around.process_of(client);
  if (!process.ok()) return process.error();
  around.doom(client);
  if (!*process) {
    around.lose(client);
    return std::string("its session was dropped as it was: it has no process of its own");
  }
  if (::kill((*process)->pid(), signal) != 0)
    return Error{ErrorCode::unavailable,
                 fmt::format("its process cannot be sent a signal: {}", std::strerror(errno))};
  const auto ending = (*process)->ending(patience_seconds);
  around.lose(client);
  if (!ending)
    return Error{ErrorCode::unavailable,
                 fmt::format("its process was sent signal {} and went on living", signal)};
  return "its process " + *ending;
}

char state_of(int pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  // Behind its name, which may hold anything.
  const auto behind = text.rfind(") ");
  return behind == text.npos || behind + 2 >= text.size() ? '?' : text[behind + 2];
}

bool comes_to_a_stop(int pid) {
  constexpr double patience_seconds = 5;
  for (const Stopwatch watch; state_of(pid) != 'T'; ::poll(nullptr, 0, 1))
    if (watch.seconds() > patience_seconds) return false;
  return true;
}

namespace {

class EndBySignal final : public Fault {
 public:
  EndBySignal(int signal, int client, Surroundings& around)
      : signal_(signal), client_(client), around_(around) {}

  Status begin() override {
    auto ended = end_process(around_, client_, signal_);
    if (!ended.ok()) return ended.error();
    ending_ = std::move(*ended);
    return Done{};
  }
  Result<std::string> proof() override { return ending_; }
  Status end() override { return Done{}; }

 private:
  const int signal_, client_;
  Surroundings& around_;
  std::string ending_;
};

}  // namespace

std::unique_ptr<Fault> end_by_signal(int signal, int client, Surroundings& around) {
  return std::make_unique<EndBySignal>(signal, client, around);
}

FaultInfo ended_by_signal(std::string_view name, std::string_view summary) {
  return {.name = name,
          .family = "worker",
          .summary = summary,
          .effect = FaultEffect::client_died,
          .is_brief = true};
}

}  // namespace assay::faults
