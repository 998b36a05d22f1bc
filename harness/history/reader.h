// HistoryReader: a history from anywhere, one event at a time, however long it is.
//
// Written for logs of others: fields that it does not know are passed over, those with a natural
// default may be missing, and what cannot be used is left out and noted (docs/history.md).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace assay {

// Something that was noticed on the way.
struct HistoryNote {
  std::size_t line = 0;     // where it was first seen, from 1
  std::string what;         // a sentence about that line
  std::uint64_t count = 1;  // how often the like of it was seen
  bool gap = false;         // something happened that is not among the events
};

struct HistoryHead {
  std::string driver = {};
  std::optional<Profile> profile = {};
};

class HistoryReader {
 public:
  // Borrowed for life.
  explicit HistoryReader(std::istream& in);
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  // Comes first, once. Without a header everything in it is absent. Refuses what is no history:
  // an empty input, no JSON, a format of a later version.
  Result<HistoryHead> open();

  // The next event, or nothing at the end. Refuses only where the input cannot be read.
  Result<std::optional<Event>> next();

  // Some hundreds at once, in place of those that are there, whose room is used again; none at the
  // end. What was read before the input could not be read any more comes first. Quicker than one
  // after the other.
  Status next(std::vector<Event>& events);

  // So far; complete at the end. In the order of their lines.
  std::vector<HistoryNote> notes() const;

  const std::vector<std::string>& clients() const;  // names by index, so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
