#include "harness/remote/listener.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "harness/contract/clock.h"

namespace assay {

bool Listener::listen(bool first_line, double seconds, const std::stop_token& stop) {
  const Stopwatch watch;
  while (watch.seconds() < seconds && !stop.stop_requested()) {
    pollfd ready[] = {{open_[0] ? process_.output() : -1, POLLIN, 0},
                      {open_[1] ? process_.log() : -1, POLLIN, 0}};
    ::poll(ready, 2, 50);
    for (int i = 0; i < 2; ++i)
      if (ready[i].revents) take(i, ready[i].fd);
    if (first_line && said.find('\n') != std::string::npos) return true;
    if (!open_[0] && !open_[1]) return true;
  }
  return false;
}

void Listener::take(int stream, int descriptor) {
  char bytes[4096];
  const ssize_t size = ::read(descriptor, bytes, sizeof bytes);
  if (size > 0)
    (stream == 0 ? said : complained).append(bytes, static_cast<std::size_t>(size));
  else if (size == 0 || (errno != EAGAIN && errno != EINTR))
    open_[stream] = false;
}

}  // namespace assay
