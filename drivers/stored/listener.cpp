#include "drivers/stored/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "harness/contract/check.h"

namespace assay::stored {

Result<std::unique_ptr<WakeUps>> Listener::make(const std::vector<std::string>& queues,
                                                std::unique_ptr<Line> line, Bell* bell) {
  if (auto objection = objection_to_queues(queues)) return *objection;
  if (line)
    if (auto error = line->open()) return *error;
  return std::unique_ptr<WakeUps>(new Listener(queues, std::move(line), bell));
}

Listener::Listener(const std::vector<std::string>& queues, std::unique_ptr<Line> line, Bell* bell)
    : mailbox_(queues), line_(std::move(line)), bell_(bell) {
  if (bell_) bell_->add(mailbox_);
  if (!line_) return;
  stopped_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CHECK(stopped_ >= 0);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Listener::~Listener() {
  if (bell_) bell_->remove(mailbox_);
  if (!line_) return;
  thread_.request_stop();
  ::eventfd_write(stopped_, 1);
  thread_.join();
  ::close(stopped_);
}

bool Listener::is_readable() {
  pollfd waited[] = {{stopped_, POLLIN, 0}, {line_->socket(), POLLIN, 0}};
  const int found = ::poll(waited, 2, static_cast<int>(line_->interval().count()));
  return found == 0 || waited[1].revents != 0;
}

void Listener::pause(Duration length) {
  pollfd stopped{stopped_, POLLIN, 0};
  ::poll(&stopped, 1, static_cast<int>(length.count()));
}

// What was missed while the line was lost is made good by a wake-up for every queue.
void Listener::run(const std::stop_token& stop) {
  constexpr Duration shortest{20}, longest{1000};
  Duration next_try = shortest;
  bool is_open = true;
  while (!stop.stop_requested()) {
    if (!is_open) {
      is_open = !line_->open();
      if (is_open) {
        next_try = shortest;
        mailbox_.put_all();
      } else {
        pause(next_try);
        next_try = std::min(2 * next_try, longest);
      }
      continue;
    }
    if (!is_readable()) continue;
    if (auto error = line_->read(mailbox_)) {
      mailbox_.fail(*std::move(error));
      is_open = false;
    }
  }
}

}  // namespace assay::stored
