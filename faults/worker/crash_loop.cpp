// crash_loop: a client dies, is started again, and dies again, several times over.
#include <fmt/format.h>
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {
namespace {

class CrashLoop final : public Fault {
 public:
  CrashLoop(std::int64_t times, int client, Surroundings& around)
      : times_(times), client_(client), around_(around) {}

  Status begin() override {
    for (; deaths_ < times_; ++deaths_) {
      auto ended = end_process(around_, client_, SIGKILL);
      if (!ended.ok()) return ended.error();
      ending_ = std::move(*ended);
    }
    return Done{};
  }
  Result<std::string> proof() override {
    return fmt::format("{} times over, {}", deaths_, ending_);
  }
  Status end() override { return Done{}; }

 private:
  const std::int64_t times_;
  const int client_;
  Surroundings& around_;
  std::int64_t deaths_ = 0;
  std::string ending_;
};

}  // namespace

FaultInfo crash_loop() {
  return {.name = "crash_loop",
          .family = "worker",
          .summary = "a client dies, is started again, and dies again, several times over",
          .effect = FaultEffect::client_died,
          .with = {{"times", 3}},
          .is_brief = true,
          .make = [](const FaultSpec& spec, int client,
                     Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<CrashLoop>(number_of(crash_loop(), spec, "times"), client,
                                               around);
          }};
}

}  // namespace assay::faults
