// WakeUpPost: the channel on which the jobs of a run are announced, in virtual time, and what is
// made to go wrong with it. Everything that happens to a message is told.
//
// Used by tasks of one runtime, of which one moves at a time.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract/random.h"
#include "harness/contract/runtime.h"
#include "harness/fault/wakeup_trouble.h"
#include "harness/history/history.h"
#include "harness/run/wakeup_line.h"

namespace assay::detail {

class WakeUpPost final : public WakeUpTrouble {
 public:
  struct Options {
    Duration visibility{0};
    std::uint64_t seed = 0;
    std::function<void(EngineEvent)> tell;
  };
  // The runtime is borrowed for life.
  WakeUpPost(Runtime& runtime, Options options);

  // The end of one worker. `is_dead`: it says and hears nothing any more. Outlived by the post.
  std::unique_ptr<WakeUpLine> line_of(std::string worker, std::vector<std::string> queues,
                                      std::function<bool()> is_dead);

  int spoil(Spoiling how, int percent, Duration within) override;
  void spare(int number) override;
  std::uint64_t struck(int number) const override;

 private:
  class Line;

  struct Message {
    std::int64_t number = 0;
    std::string queue = {}, says = {};
    std::int64_t receipt = 0;  // 0: never received
    Instant visible_at = {};
    bool is_held = false;  // for the next one to overtake it
    int spoiled_by = -1;   // that holds it back, or will show it again
    std::optional<Instant> again_at = {};
  };
  struct Spoiler {
    Spoiling how = Spoiling::dropped;
    int percent = 0;
    Duration within{0};
    Random random;
    bool is_on = true;
    std::uint64_t struck = 0;
  };

  void announce(const std::string& worker, const std::string& queue, const std::string& says);
  std::optional<HeardWakeUp> take(const std::string& worker, const std::vector<std::string>& queues,
                                  Instant& next);
  std::list<Message>::iterator find(const std::string& receipt);
  void put(Message message);
  // The spoiler that strikes this time; -1: none does.
  int strikes(Spoiling how);
  Duration drawn(int spoiler);
  void strike(int spoiler, const Message& message);
  void tell(EngineEvent::Kind kind, const std::string& worker, const Message& message,
            std::optional<Instant> until = {});

  Clock& clock_;
  const Options options_;
  std::list<Message> messages_;
  std::vector<Spoiler> spoilers_;
  std::int64_t numbers_ = 0, receipts_ = 0;
  std::stop_source changes_;  // requested when one comes
};

}  // namespace assay::detail
