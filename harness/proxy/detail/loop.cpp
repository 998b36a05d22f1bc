#include "harness/proxy/detail/loop.h"

#include <fcntl.h>

#include <cerrno>

namespace assay::proxy {

static Socket spare_file() { return Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

Door::Door(Loop& loop, Socket socket, Enter enter, Refuse refuse)
    : loop_(loop),
      socket_(std::move(socket)),
      enter_(std::move(enter)),
      refuse_(std::move(refuse)) {
  loop_.poller().watch(socket_.get(), EPOLLIN, static_cast<Waiter*>(this));
}

void Door::close() {
  if (socket_.is_open()) loop_.poller().forget(socket_.get());
  socket_.close();
}

void Door::ready(std::uint32_t) {
  constexpr int at_once = 64;
  for (int i = 0; i < at_once && socket_.is_open(); ++i) {
    int why_not = 0;
    Socket client = accept_from(socket_, why_not);
    if (client.is_open()) {
      enter_(std::move(client));
      continue;
    }
    if (why_not != EMFILE && why_not != ENFILE) return;
    loop_.turn_away(socket_);
    return refuse_();
  }
}

Moment Loop::now() const { return Moment(static_cast<std::int64_t>(since_.seconds() * 1e6)); }

void Loop::shut(std::unique_ptr<Door> door) {
  door->close();
  shut_.push_back(std::move(door));
}

void Loop::begin() {
  spare_ = spare_file();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Loop::end() {
  CHECK(!is_own_thread());
  thread_.request_stop();
  wake();
  thread_.join();
}

void Loop::run(const std::stop_token& stop) {
  std::optional<Moment> first;
  while (!stop.stop_requested()) {
    std::optional<Moment> most;
    if (first) most = std::max(*first - now(), Moment(0));
    const auto ready = poller_->wait(most);
    {
      const std::scoped_lock lock(mutex_);
      for (const epoll_event& event : ready)
        static_cast<Waiter*>(event.data.ptr)->ready(event.events);
      call_due();
      shut_.clear();
      tidy();
      first = timers_.first();
    }
    tell(stop);
  }
  const std::scoped_lock lock(mutex_);
  leave();
  shut_.clear();
}

// Of one look at the clock: whoever is due at once again waits for the next round.
void Loop::call_due() {
  if (!timers_.first()) return;
  const Moment now = this->now();
  while (Timed* who = timers_.take(now)) who->due();
}

// One that cannot be let in would wait at the door for ever, and we for it.
void Loop::turn_away(const Socket& listener) {
  spare_.close();
  int why_not = 0;
  accept_from(listener, why_not);
  spare_ = spare_file();
}

}  // namespace assay::proxy
