// ReadAhead: the events of a reader, read by a thread of its own while others are judged.
//
// Not thread-safe: one thread asks. While there is one, nobody else uses the reader.
#pragma once

#include <memory>
#include <vector>

#include "harness/history/reader.h"

namespace assay {

class ReadAhead {
 public:
  // Borrowed for life; it has been opened. Nothing is read before the first question.
  explicit ReadAhead(HistoryReader& reader);
  // Waits until what is being read has been read.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // As HistoryReader::next. After the end, or a refusal, it must not be asked again.
  Status next(std::vector<Event>& events);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
