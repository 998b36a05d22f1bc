// LineWatcher: told what goes over one proxy of a ShapingProxy, connection by connection, when it
// happens.
//
// Called by the proxy's own thread and under its lock: be quick, and do not call the proxy.
#pragma once

#include <chrono>
#include <cstdint>

#include "harness/proxy/toxics.h"

namespace assay::proxy {

class LineWatcher {
 public:
  using Moment = std::chrono::microseconds;  // since the proxy began
  enum class Side { client, upstream };

  virtual ~LineWatcher() = default;

  // A client was let in, and its upstream is about to be called. They are counted from 1.
  virtual void opened(std::uint64_t connection, Moment now) = 0;
  // That did not answer.
  virtual void unreached(std::uint64_t connection) = 0;
  virtual void carried(std::uint64_t connection, Direction direction, std::size_t bytes,
                       Moment now) = 0;
  // This side has ended, or was cut off; or we ended it ourselves, which counts as the client's
  // end. More than once where it ended by halves. True: the other side is to be cut off, and not
  // just to see an end.
  virtual bool ended(std::uint64_t connection, Side side, bool is_cut, Moment now) = 0;
};

}  // namespace assay::proxy
