#include "harness/remote/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/remote/detail/warden_program.h"

extern char** environ;

namespace assay {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};

  // Where a standard stream of ours is closed its number would be handed out.
  bool open() {
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    for (int& end : ends)
      while (end >= 0 && end <= STDERR_FILENO) {
        const int higher = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        ::close(std::exchange(end, higher));
      }
    return ends[0] >= 0 && ends[1] >= 0;
  }
  int take(int end) { return std::exchange(ends[end], -1); }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
};

bool overrides(const Command& command, std::string_view entry) {
  for (const auto& [name, value] : command.environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return true;
  return false;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry)
    if (!overrides(command, *entry)) all.emplace_back(*entry);
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Where execvp would look for it. Who says "self" means us, not the process between us and it.
std::vector<std::string> paths_of(const std::string& program) {
  constexpr std::string_view self = "/proc/self/";
  if (program.empty()) return {};
  if (program.starts_with(self))
    return {fmt::format("/proc/{}/{}", ::getpid(), program.substr(self.size()))};
  if (program.find('/') != program.npos) return {program};
  const char* found = ::getenv("PATH");
  std::string_view folders = found ? found : "/bin:/usr/bin";
  std::vector<std::string> paths;
  for (bool more = true; more;) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, end);
    paths.push_back(folder.empty() ? "./" + program : fmt::format("{}/{}", folder, program));
    more = end < folders.size();
    if (more) folders.remove_prefix(end + 1);
  }
  return paths;
}

Error cannot(const std::string& what, int number) {
  return {ErrorCode::unavailable, fmt::format("cannot {}: {}", what, std::strerror(number)),
          LeaseReason::unstated, true};
}

pid_t start_warden(const detail::WardenOrders& orders) {
  if (const auto spawned = detail::spawn_warden(orders)) return *spawned;
  const pid_t copy = ::fork();
  if (copy == 0) detail::guard(orders, detail::start_program(orders));
  return copy;
}

std::string told(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start(const Command& command) {
  if (command.words.empty()) return invalid("the command names no program");
  Pipe input, output, log, leash, report;
  for (Pipe* pipe : {&input, &output, &log, &leash, &report})
    if (!pipe->open()) return cannot("make a pipe", errno);

  // All that the two processes need is made here: they allocate nothing.
  std::vector<std::string> words = command.words, environment = environment_of(command);
  std::vector<std::string> places = paths_of(words.front());
  words.insert(words.begin(), "");
  std::vector<char*> paths = pointers(places), argv = pointers(words), envp = pointers(environment);
  detail::WardenOrders orders;
  orders.paths = paths.data();
  orders.argv = argv.data() + 1;
  orders.envp = envp.data();
  orders.folder = command.folder ? command.folder->c_str() : nullptr;
  orders.streams[0] = input.ends[0];
  orders.streams[1] = output.ends[1];
  orders.streams[2] = log.ends[1];
  orders.leash = leash.ends[0];
  orders.report = report.ends[1];
  const pid_t warden = start_warden(orders);
  if (warden < 0) return cannot("start a process", errno);

  auto process = std::unique_ptr<Process>(new Process);
  process->warden_ = warden;
  process->input_ = input.take(1);
  process->output_ = output.take(0);
  process->log_ = log.take(0);
  process->leash_ = leash.take(1);
  process->report_ = report.take(0);
  ::close(report.take(1));
  for (const int stream : {process->input_, process->output_, process->log_})
    ::fcntl(stream, F_SETFL, O_NONBLOCK);

  detail::WardenReport started;
  if (::read(process->report_, &started, sizeof started) != sizeof started)
    return Error{ErrorCode::unavailable, "the process that guards the driver ended at once"};
  if (started.failed_step == detail::Step::folder)
    return cannot(fmt::format("enter the folder {}", *command.folder), started.value);
  if (started.failed_step == detail::Step::program)
    return cannot(fmt::format("start {}", command.words.front()), started.value);
  if (started.failed_step != detail::Step::none) return cannot("start a process", started.value);
  process->pid_ = static_cast<pid_t>(started.value);
  return process;
}

Process::~Process() {
  for (const int stream : {input_, output_, log_, leash_, report_})
    if (stream >= 0) ::close(stream);
  ::kill(warden_, SIGCONT);  // the driver may have stopped it
  while (::waitpid(warden_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::close_input() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

std::optional<std::string> Process::ending(double wait_seconds) {
  if (ending_) return ending_;
  pollfd ready{report_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(wait_seconds * 1000)) <= 0) return std::nullopt;
  detail::WardenReport ended;
  const bool known = ::read(report_, &ended, sizeof ended) == sizeof ended;
  if (known) status_ = ended.value;
  ending_ = known ? told(ended.value) : "is gone, with the process that guarded it";
  return ending_;
}

}  // namespace assay
