// InputWait: waits for a stream, at first without sleeping, as long as that is worth it.
//
// Not thread-safe: one a stream.
#pragma once

struct pollfd;

namespace assay::detail {

class InputWait {
 public:
  // As poll with POLLIN asked for, for `seconds`; less than none: without end. A peer that answers
  // at once is worth being awake for: to fall asleep and be woken costs ten times the way through a
  // pipe where the processor itself went to sleep. For one that never does it takes the processor
  // from those that it waits for, so after some such waits the next ones are slept through.
  int wait(pollfd* streams, unsigned count, double seconds);

  bool is_awake() const { return naps_ == 0; }  // in the next wait, at first

 private:
  int in_vain_ = 0;  // in a row
  int naps_ = 0;     // to come
};

}  // namespace assay::detail
