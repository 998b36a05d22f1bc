#include "harness/history/read_ahead.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace assay {

struct ReadAhead::State {
  explicit State(HistoryReader& from) : reader(from) {}

  struct Batch {
    Status status = Done{};
    std::vector<Event> events = {};

    bool is_last() const { return !status || events.empty(); }
  };
  // As many as keep both threads busy while one of them waits for the disk or a page of memory.
  static constexpr std::size_t most = 16;

  HistoryReader& reader;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<Batch> read;                   // in their order
  std::vector<std::vector<Event>> unneeded;  // whose room is used again
  std::jthread thread;                       // the last: it ends before the others do

  void read_all(const std::stop_token& stop) {
    for (bool is_last = false; !is_last;) {
      Batch batch;
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [&] { return read.size() < most; })) return;
        if (!unneeded.empty()) {
          batch.events = std::move(unneeded.back());
          unneeded.pop_back();
        }
      }
      batch.status = reader.next(batch.events);
      is_last = batch.is_last();
      const std::lock_guard lock(mutex);
      read.push_back(std::move(batch));
      changed.notify_all();
    }
  }
};

ReadAhead::ReadAhead(HistoryReader& reader) : state_(std::make_unique<State>(reader)) {}
ReadAhead::~ReadAhead() = default;

Status ReadAhead::next(std::vector<Event>& events) {
  State& state = *state_;
  if (!state.thread.joinable())
    state.thread = std::jthread([&state](const std::stop_token& stop) { state.read_all(stop); });
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return !state.read.empty(); });
  State::Batch batch = std::move(state.read.front());
  state.read.erase(state.read.begin());
  state.unneeded.push_back(std::move(events));
  events = std::move(batch.events);
  state.changed.notify_all();
  return batch.status;
}

}  // namespace assay
