// What a shaping proxy costs that does nothing: redis-benchmark and pgbench without a proxy,
// through the embedded one and through the real Toxiproxy (on PATH, or named by
// ASSAY_TOXIPROXY_SERVER), in one run, interleaved. Nothing is asserted.
//
//   toxiproxy_bench [ROUNDS]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "faults/toxiproxy/instance.h"
#include "harness/backend/backend.h"
#include "harness/contract/check.h"
#include "harness/proxy/upstream.h"

namespace assay {
namespace {

using toxiproxy::Instance;
using toxiproxy::InstanceKind;

std::string printed_by(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  CHECK(pipe != nullptr);
  std::string out;
  char bytes[4096];
  while (const std::size_t got = std::fread(bytes, 1, sizeof bytes, pipe)) out.append(bytes, got);
  CHECK(::pclose(pipe) == 0);
  return out;
}

struct Figures {
  double each_second = 0, latency_us = 0;
};

double number_in(const std::string& text, const std::string& pattern) {
  std::smatch match;
  CHECK(std::regex_search(text, match, std::regex(pattern)));
  return std::stod(match[1]);
}

struct Load {
  std::string name;
  std::string arguments;
};

Figures redis_benchmark(const std::string& url, int port, const Load& load) {
  const std::size_t at = url.rfind('@'), colon = url.rfind(':', at);
  const std::string csv = printed_by(
      fmt::format("redis-benchmark -h 127.0.0.1 -p {} -a {} -t set -d 100 --csv {} 2>/dev/null",
                  port, url.substr(colon + 1, at - colon - 1), load.arguments));
  // "SET","rps","avg","min","p50",...
  const std::string row = csv.substr(csv.find("\"SET\""));
  return {number_in(row, "\"SET\",\"([0-9.]+)\""),
          1000 * number_in(row, "\"SET\",\"[0-9.]+\",\"[0-9.]+\",\"[0-9.]+\",\"([0-9.]+)\"")};
}

Figures pgbench(const std::string& url, int port, const Load& load) {
  const std::string script = "/tmp/assay-bench-select.sql";
  std::ofstream(script) << "select 1;\n";
  const std::string out =
      printed_by(fmt::format("pgbench -n -M prepared -f {} {} '{}' 2>/dev/null", script,
                             load.arguments, proxy::url_through(url, port)));
  return {number_in(out, "tps = ([0-9.]+)"), 1000 * number_in(out, "latency average = ([0-9.]+)")};
}

struct Way {
  std::string name;
  int port = 0;
};

int port_through(const Instance& instance, const std::string& name, int port) {
  const auto made =
      instance.client().create({name, "127.0.0.1:0", fmt::format("127.0.0.1:{}", port)});
  CHECK(made.ok());
  return std::stoi(made->listen.substr(made->listen.rfind(':') + 1));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using Measure = Figures (*)(const std::string& url, int port, const Load& load);

void bench(Backend& backend, const std::vector<Way>& ways, Measure measure,
           const std::vector<Load>& loads, int rounds) {
  fmt::print("{}\n", backend.description());
  for (const Load& load : loads) {
    std::vector<std::vector<Figures>> all(ways.size());
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < ways.size(); ++i)
        all[i].push_back(measure(backend.url(), ways[i].port, load));
    fmt::print("  {}\n", load.name);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::vector<double> each, latency, ratio, added;
      for (std::size_t round = 0; round < all[i].size(); ++round) {
        const Figures &here = all[i][round], &direct = all[0][round];
        each.push_back(here.each_second);
        latency.push_back(here.latency_us);
        ratio.push_back(here.each_second / direct.each_second);
        added.push_back(here.latency_us - direct.latency_us);
      }
      fmt::print("    {:<10} {:>9.0f}/s  x{:.2f}   {:>7.0f} us  +{:.0f}\n", ways[i].name,
                 median_of(each), median_of(ratio), median_of(latency), median_of(added));
    }
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  std::string scratch = "/tmp/assay-bench-XXXXXX";
  CHECK(::mkdtemp(scratch.data()) != nullptr);
  const char* named = std::getenv("ASSAY_TOXIPROXY_SERVER");
  auto embedded = Instance::find({.program = "none"});
  auto real = Instance::find({.program = named ? named : "toxiproxy-server"});
  CHECK(embedded.ok() && real.ok());
  const bool has_real = (*real)->kind() == InstanceKind::started;
  fmt::print("{} rounds; medians; x, +: against none in the same round\n{}\n\n", rounds,
             has_real ? (*real)->description() : "no real Toxiproxy to compare with");
  const auto run = [&](const std::string& name, std::pair<std::string, std::string> setting,
                       Measure measure, const std::vector<Load>& loads) {
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch;
    options.settings = {std::move(setting)};
    const auto backend = start_backend(name, options);
    if (!backend.ok()) return fmt::print("{}: {}\n", name, backend.error().message);
    const int port = proxy::upstream_of((*backend)->url())->port;
    std::vector<Way> ways{{"none", port}, {"embedded", port_through(**embedded, name, port)}};
    if (has_real) ways.push_back({"real", port_through(**real, name, port)});
    bench(**backend, ways, measure, loads, rounds);
  };
  run("redis", {"appendonly", "no"}, redis_benchmark,
      {{"1 client", "-c 1 -n 20000"},
       {"20 clients", "-c 20 -n 50000"},
       {"50 clients, 16 at once", "-c 50 -n 400000 -P 16"}});
  run("postgres", {"fsync", "off"}, pgbench,
      {{"1 client", "-c 1 -t 10000"}, {"8 clients", "-c 8 -j 2 -t 4000"}});
  ::rmdir(scratch.c_str());
}
