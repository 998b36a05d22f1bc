#include "engine/handlers/exec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/detail/flow_names.h"
#include "harness/contract/clock.h"
#include "harness/remote/process.h"

namespace assay::engine::handlers {
namespace {

// Wakes a poll when the handler is interrupted.
class Bell {
 public:
  explicit Bell(const std::stop_token& stop)
      : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), rings_(stop, Ring{descriptor_}) {}
  ~Bell() {
    rings_.reset();
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  struct Ring {
    int descriptor;
    void operator()() const {
      const std::uint64_t one = 1;
      // It cannot be full: it is rung once.
      [[maybe_unused]] const auto written = ::write(descriptor, &one, sizeof one);
    }
  };
  // A callback that can be taken back before the descriptor is closed.
  class Callback {
   public:
    Callback(const std::stop_token& stop, Ring ring) { callback_.emplace(stop, ring); }
    void reset() { callback_.reset(); }

   private:
    std::optional<std::stop_callback<Ring>> callback_;
  };

  const int descriptor_;
  Callback rings_;
};

// A program that does not read its input must not end us: then a write is refused, no more.
class QuietPipes {
 public:
  QuietPipes() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~QuietPipes() {
    const timespec at_once{};
    if (!was_pending_)
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

// One conversation with a program.
class Conversation {
 public:
  Conversation(Process& process, const std::string& input, const ExecOptions& options)
      : process_(process), input_(input), options_(options) {
    if (input_.empty()) process_.close_input();
  }

  // Until the program has ended, or until it was asked to and did not in time.
  void hold(const std::stop_token& stop) {
    const QuietPipes quiet;
    const Bell bell(stop);
    std::optional<Stopwatch> asked;
    while (!process_.ending()) {
      if (stop.stop_requested() && !asked) {
        asked.emplace();
        ::kill(-process_.pid(), SIGTERM);
      }
      if (asked && asked->seconds() >= options_.polite_seconds) return;
      wait(asked ? -1 : bell.descriptor(), asked);
      write();
      read();
    }
    // What a program said before its end is there; what its children still say is not waited for.
    read();
  }

  Execution& execution() { return execution_; }

 private:
  void wait(int bell, const std::optional<Stopwatch>& asked) {
    std::array<pollfd, 5> all{{{process_.input(), POLLOUT, 0},
                               {ends_[0] ? -1 : process_.output(), POLLIN, 0},
                               {ends_[1] ? -1 : process_.log(), POLLIN, 0},
                               {bell, POLLIN, 0},
                               {process_.report(), POLLIN, 0}}};
    const double left = asked ? options_.polite_seconds - asked->seconds() : 60;
    ::poll(all.data(), all.size(), static_cast<int>(std::max(left, 0.0) * 1000) + 1);
  }

  void write() {
    while (process_.input() >= 0) {
      const ssize_t size =
          ::write(process_.input(), input_.data() + written_, input_.size() - written_);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size > 0) written_ += static_cast<std::size_t>(size);
      if (size < 0 || written_ == input_.size()) process_.close_input();
    }
  }

  void read() {
    read(process_.output(), execution_.output, ends_[0]);
    read(process_.log(), execution_.log, ends_[1]);
  }

  // Some at once, so that a flood of one stream keeps nobody from looking at the rest.
  void read(int stream, std::string& kept, bool& is_over) {
    for (int chunks = 0; chunks < 16 && !is_over; ++chunks) {
      const ssize_t size = ::read(stream, bytes_.data(), bytes_.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      is_over = size <= 0;
      const auto room = options_.output_bytes - kept.size();
      const auto come = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
      kept.append(bytes_.data(), std::min(room, come));
      if (come > room) execution_.is_whole = false;
    }
  }

  Process& process_;
  const std::string& input_;
  const ExecOptions& options_;
  std::size_t written_ = 0;
  std::array<bool, 2> ends_{};
  std::array<char, 64 << 10> bytes_;
  Execution execution_;
};

Command command_of(const ExecOptions& options, const Context& context) {
  Command command{options.words, options.environment, options.folder};
  const Job& job = context.job();
  command.environment.insert(command.environment.end(),
                             {{"JOB_ID", job.id},
                              {"JOB_TYPE", job.type},
                              {"JOB_QUEUE", job.queue},
                              {"JOB_RUN", std::to_string(context.run())}});
  return command;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n\r ");
  if (end == text.npos) return "";
  const auto begin = text.find_last_of('\n', end);
  return text.substr(begin == text.npos ? 0 : begin + 1, std::min<std::size_t>(end - begin, 500));
}

Failure failure_of(const std::string& ending, const Execution& execution) {
  const std::string& said = execution.log.empty() ? execution.output : execution.log;
  const std::string line = last_line(said);
  return {line.empty() ? "the program " + ending : fmt::format("the program {}: {}", ending, line)};
}

}  // namespace

// A member of a flow that has no payload reads what the step before it wrote.
static Result<std::string> input_of(const Context& context, bool is_member) {
  if (!is_member || !context.job().payload.empty()) return context.job().payload;
  auto before = context.inputs().result();
  if (!before.ok()) return before.error();
  return before->value_or("");
}

static HandlerResult success_of(const Execution& execution, bool is_member) {
  if (!is_member || execution.output.empty()) return Success{};
  if (!execution.is_whole)
    return Failure{fmt::format("the program wrote more than {} bytes: too much for a result",
                               most_result_bytes),
                   true};
  return Success{execution.output};
}

Handler exec(ExecOptions given) {
  return [given = std::move(given)](Context& context) -> HandlerResult {
    const bool is_member = detail::member_of(context.job()).has_value();
    ExecOptions options = given;
    if (is_member) options.output_bytes = most_result_bytes;
    const auto input = input_of(context, is_member);
    if (!input.ok()) return Failure{input.error().message};
    auto started = Process::start(command_of(options, context));
    if (!started.ok()) return Failure{started.error().message};
    Process& process = **started;
    Conversation conversation(process, *input, options);
    conversation.hold(context.stop());
    const auto ending = process.ending();
    const auto status = process.wait_status();
    started->reset();  // and with it all that the program left behind
    if (options.listener) options.listener(context.job(), conversation.execution());
    if (!ending) return Failure{"the program was killed, since it did not end when asked to"};
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0)
      return success_of(conversation.execution(), is_member);
    Failure failure = failure_of(*ending, conversation.execution());
    failure.unrecoverable =
        status && WIFEXITED(*status) && WEXITSTATUS(*status) == options.unrecoverable_status;
    return failure;
  };
}

}  // namespace assay::engine::handlers
