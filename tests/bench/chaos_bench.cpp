// 32 clients in processes of their own while things go wrong, on a real Redis and a real Postgres:
// calls a second that were recorded and judged, and which share of all processor time the harness
// itself took, beside its clients and their server. Nothing is asserted.
//
//   chaos_bench [SECONDS]
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/contract/check.h"
#include "harness/remote/process.h"

namespace assay {
namespace {

// Of the machine: all that was not idle.
double busy_seconds() {
  std::ifstream in("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0;
  in >> name >> user >> nice >> system >> idle >> waiting >> hard >> soft;
  return (user + nice + system + hard + soft) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Of one process, without those that it started; 0: it is gone.
double seconds_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  const auto behind = text.rfind(") ");
  if (behind == std::string::npos) return 0;
  std::istringstream words(text.substr(behind + 2));
  std::string word;
  for (int i = 0; i < 11; ++i) words >> word;
  double user = 0, system = 0;
  words >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void measure(const std::string& driver, const std::string& seconds) {
  const double before = busy_seconds();
  auto run = Process::start({{ASSAY_PROGRAM, "chaos", driver, "--clients", "32", "--for",
                              seconds + "s", "--seed", "1", "--all", "--json"},
                             {},
                             "/tmp"});
  CHECK(run.ok());
  std::string out;
  double own = 0;
  for (bool open = true; open;) {
    pollfd ready{(*run)->output(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    char bytes[65536];
    const ssize_t got = ::read((*run)->output(), bytes, sizeof bytes);
    if (got > 0) out.append(bytes, static_cast<std::size_t>(got));
    open = got != 0;
    while (::read((*run)->log(), bytes, sizeof bytes) > 0) {
    }
    own = std::max(own, seconds_of((*run)->pid()));
  }
  const double all = busy_seconds() - before;
  const auto report = nlohmann::json::parse(out, nullptr, false);
  if (report.is_discarded()) {
    fmt::print("  {:<10} no report: {}\n", driver, (*run)->ending(10).value_or("it still runs"));
    return;
  }
  const double took = report["seconds"];
  std::uint64_t faults = 0;
  for (const auto& fault : report["faults"]) faults += fault["proven"].get<std::uint64_t>();
  fmt::print("  {:<10} {:>8.0f} {:>8} {:>8} {:>10.1f} {:>8.1f} % {:>6}\n", driver,
             report["operations"].get<double>() / took, report["rounds"].get<int>(), faults, all,
             100 * own / all, report["exit_status"].get<int>());
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const std::string seconds = argc > 1 ? argv[1] : "20";
  fmt::print("  {:<10} {:>8} {:>8} {:>8} {:>10} {:>10} {:>6}\n", "driver", "calls/s", "rounds",
             "faults", "CPU s", "harness", "exit");
  for (const char* driver : {"redis", "postgres"}) assay::measure(driver, seconds);
}
