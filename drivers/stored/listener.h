// Listener: the wake-ups that arrive on a line to a store. A thread of its own reads the line as
// long as the listener lives, so that a store never waits for a client that does not read.
#pragma once

#include <memory>
#include <thread>

#include "drivers/stored/mailbox.h"

namespace assay::stored {

// Used by one thread at a time.
class Line {
 public:
  virtual ~Line() = default;

  // Whatever happens from now on arrives; the error says why not. Also after it was lost.
  virtual std::optional<Error> open() = 0;

  // Becomes readable when something arrived; -1: it has to be looked at every so often.
  virtual int socket() const = 0;
  virtual Duration interval() const { return Duration{-1}; }

  // Takes what has arrived; an error where the line is lost.
  virtual std::optional<Error> read(Mailbox& mailbox) = 0;
};

class Listener final : public WakeUps {
 public:
  // Opens the line. The bell rings at it, too; borrowed, null: there is none.
  static Result<std::unique_ptr<WakeUps>> make(const std::vector<std::string>& queues,
                                               std::unique_ptr<Line> line, Bell* bell = nullptr);
  ~Listener() override;

  Result<std::optional<WakeUp>> wait(Duration at_most, std::stop_token stop) override {
    return mailbox_.wait(at_most, std::move(stop));
  }

 private:
  Listener(const std::vector<std::string>& queues, std::unique_ptr<Line> line, Bell* bell);

  void run(const std::stop_token& stop);
  // Whether the line has something, or it is time to look. Returns early when we are to stop.
  bool is_readable();
  void pause(Duration length);

  Mailbox mailbox_;
  std::unique_ptr<Line> line_;
  Bell* const bell_;
  int stopped_ = -1;     // an eventfd
  std::jthread thread_;  // goes first
};

}  // namespace assay::stored
