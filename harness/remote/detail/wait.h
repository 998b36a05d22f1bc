// wait_for_input: waits for a stream, at first without sleeping.
#pragma once

struct pollfd;

namespace assay::detail {

// As poll with POLLIN asked for, for `seconds`; less than none: without end. A peer that answers at
// once is worth being awake for: to fall asleep and be woken costs ten times the way through a pipe
// where the processor itself went to sleep.
int wait_for_input(pollfd* streams, unsigned count, double seconds);

}  // namespace assay::detail
