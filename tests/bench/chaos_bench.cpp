// 32 clients in processes of their own while things go wrong, on a real Redis and a real Postgres:
// calls a second that were recorded and judged, and which share of all processor time the harness
// itself took, and its wardens, beside its clients and their server. And what it takes to start 100
// processes, out of one that has some memory. Nothing is asserted.
//
// All processor time is that of the processes below us, however short they lived, as the kernel
// counts it for those that were waited for: a warden waits for all of them. What else the machine
// does meanwhile makes the run slower, but no share another one. Wardens are looked at from time to
// time, and are what the harness's process started itself.
//
//   chaos_bench [SECONDS [PROGRAM]]     the program: another build's assay
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/remote/process.h"

namespace assay {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double used_by(int whom) {
  rusage used{};
  ::getrusage(whom, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

struct Look {
  pid_t parent = 0;
  double seconds = 0;  // without those that it started
};

// Nothing seen: it is gone.
Look look_at(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  const auto behind = text.rfind(") ");
  if (behind == std::string::npos) return {};
  std::istringstream words(text.substr(behind + 2));
  std::string word;
  Look look;
  words >> word >> look.parent;
  for (int i = 0; i < 9; ++i) words >> word;
  double user = 0, system = 0;
  words >> user >> system;
  look.seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return look;
}

// Of a process with one thread; finer than the above.
double exact_seconds_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/schedstat", pid));
  double nanoseconds = 0;
  in >> nanoseconds;
  return nanoseconds / 1e9;
}

// The processor time of those that `parent` started; it only grows.
void look_at_children(pid_t parent, std::map<pid_t, double>& seconds) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid > 0 && look_at(pid).parent == parent)
      seconds[pid] = std::max(seconds[pid], exact_seconds_of(pid));
  }
}

void measure(const std::string& program, const std::string& driver, const std::string& seconds) {
  constexpr double between_looks_seconds = 0.2;
  const double before = used_by(RUSAGE_CHILDREN);
  auto run = Process::start({{program, "chaos", driver, "--clients", "32", "--for", seconds + "s",
                              "--seed", "1", "--all", "--json"},
                             {},
                             "/tmp"});
  CHECK(run.ok());
  std::string out;
  double own = 0;
  std::map<pid_t, double> wardens;
  Stopwatch since_look;
  for (bool open = true; open;) {
    pollfd ready{(*run)->output(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    char bytes[65536];
    const ssize_t got = ::read((*run)->output(), bytes, sizeof bytes);
    if (got > 0) out.append(bytes, static_cast<std::size_t>(got));
    open = got != 0;
    while (::read((*run)->log(), bytes, sizeof bytes) > 0) {
    }
    own = std::max(own, look_at((*run)->pid()).seconds);
    if (since_look.seconds() < between_looks_seconds) continue;
    look_at_children((*run)->pid(), wardens);
    since_look = Stopwatch();
  }
  const std::string ending = (*run)->ending(10).value_or("still runs");
  run->reset();
  const double all = used_by(RUSAGE_CHILDREN) - before;
  double guarding = 0;
  for (const auto& [pid, used] : wardens) guarding += used;
  const auto report = nlohmann::json::parse(out, nullptr, false);
  if (report.is_discarded()) {
    fmt::print("  {:<10} no report: it {}\n", driver, ending);
    return;
  }
  const double took = report["seconds"];
  std::uint64_t faults = 0;
  for (const auto& fault : report["faults"]) faults += fault["proven"].get<std::uint64_t>();
  fmt::print("  {:<10} {:>8.0f} {:>8} {:>8} {:>10.1f} {:>8.1f} % {:>8.1f} % {:>6}\n", driver,
             report["operations"].get<double>() / took, report["rounds"].get<int>(), faults, all,
             100 * own / all, 100 * guarding / all, report["exit_status"].get<int>());
  for (const auto& rule : report["rules"])
    fmt::print("  {}: {}\n", rule["id"].get<std::string>(), rule["reason"].get<std::string>());
}

// Out of a process as large as one that judges histories.
void measure_starts() {
  constexpr int count = 100;
  const std::string ballast(64 << 20, 'x');
  const double own_before = used_by(RUSAGE_SELF), below_before = used_by(RUSAGE_CHILDREN);
  const Stopwatch watch;
  for (int i = 0; i < count; ++i) {
    auto process = Process::start({{"/bin/true"}, {}, {}});
    CHECK(process.ok() && (*process)->ending(10));
  }
  const double took = watch.seconds();
  fmt::print(
      "  {} processes started and ended, one after the other: {:.0f} ms; "
      "processor time {:.0f} ms here, {:.0f} ms below\n",
      count, 1e3 * took, 1e3 * (used_by(RUSAGE_SELF) - own_before),
      1e3 * (used_by(RUSAGE_CHILDREN) - below_before));
  CHECK(ballast.size() == 64 << 20);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const std::string seconds = argc > 1 ? argv[1] : "20",
                    program = argc > 2 ? argv[2] : ASSAY_PROGRAM;
  fmt::print("  {:<10} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10} {:>6}\n", "driver", "calls/s",
             "rounds", "faults", "CPU s", "harness", "wardens", "exit");
  for (const char* driver : {"redis", "postgres"}) assay::measure(program, driver, seconds);
  assay::measure_starts();
}
