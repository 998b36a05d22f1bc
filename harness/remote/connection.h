// Connection: one driver process, or one socket to a driver, spoken to line by line.
//
// Thread-safe: every session may be used by a thread of its own. Whatever the other side does
// wrong breaks the connection for good: it and all later calls then say what it was.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/remote/connectable.h"

namespace assay {

namespace detail {
class InputWait;
class ProcessLog;
}  // namespace detail

inline constexpr std::size_t max_line_bytes = 16 * 1024 * 1024;

struct ConnectionOptions {
  double answer_seconds = 10;  // silence for longer than this breaks the connection
  double start_seconds = 30;   // the same, for the first answer
  // Told of every line: '>' sent, '<' received, '!' from its stderr. From any thread.
  std::function<void(char, std::string_view)> trace;
  bool raw = false;      // for post and next_line instead of call
  std::string log_file;  // the first of its stderr is added to this; empty: nothing is kept
};

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const Connectable& to, ConnectionOptions options);
  ~Connection();  // ends the process, with everything that it started
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint64_t next_id() { return next_id_.fetch_add(1); }

  // Sends the line, which carries the id and no line feed, and waits for the answer of that id. It
  // comes back as it came: what is in it is for the caller to read. The error is indefinite: nobody
  // knows what the request did.
  Result<std::string> call(std::uint64_t id, std::string_view line);

  // Line by line, whatever the lines are: for one thread, and with the option `raw`. False: it is
  // broken.
  bool post(std::string_view line);
  // The next line that comes. An error after so much silence, or once it is broken.
  Result<std::string> next_line(double seconds);

  // Breaks it: an answer made no sense. Returns what every call gets from now on.
  Error broke(const std::string& what, std::string_view line = {});
  // What broke it, if anything did.
  std::optional<Error> broken() const;

  // The process, where there is one.
  Process* process() { return process_.get(); }
  // How it ended: Process::ending, for any thread. Requires: there is one.
  std::optional<std::string> ending_of_process(double wait_seconds);

  // End of input, then: nothing where it ends by itself in time, else what it did instead.
  std::optional<std::string> end_input(double wait_seconds);

  std::string last_log_lines() const;

 private:
  struct Waiting;

  explicit Connection(ConnectionOptions options);
  Status connect(const Address& address);

  bool send(std::string_view line);
  void let_another_read();  // requires: mutex_ is held
  void read_once(double seconds);
  void take_lines(std::string_view bytes);
  void deliver(std::string line);
  std::string shown_ending();

  ConnectionOptions options_;
  std::unique_ptr<Process> process_;
  int in_ = -1;                              // we write
  int out_ = -1;                             // we read; the same for a socket
  std::unique_ptr<detail::ProcessLog> log_;  // where there is a process

  std::atomic<std::uint64_t> next_id_{1};
  bool answered_ = false;

  std::mutex sending_;
  mutable std::mutex mutex_;
  bool someone_reads_ = false;
  std::unordered_map<std::uint64_t, Waiting*> waiting_;
  std::string partial_;                      // of a line; only for whoever reads
  std::unique_ptr<detail::InputWait> wait_;  // likewise
  std::deque<std::string> lines_;  // that came and were not asked for yet; only where `raw`
  std::optional<Error> broken_;

  std::mutex ending_;  // for process_->ending
};

}  // namespace assay
