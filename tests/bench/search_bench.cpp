// The search's speed, as a table: on the published histories of others, if their folders are given,
//   search_bench --jepsen-dir DIR (etcd's logs, *.log) --kv-dir DIR (key-value logs, *.txt)
// and on histories of our own that grow. Nothing is asserted: machines differ, ratios within one
// run tell. A history's time is the best of `--rounds N` (3), without reading it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/contract/random.h"
#include "tests/bench/search_models.h"

namespace assay::search {
namespace {

using Seconds = std::chrono::duration<double>;

struct Sum {
  std::size_t histories = 0, operations = 0;
  double seconds = 0;
};

std::string_view word(Answer answer) {
  return answer == Answer::explained    ? "ok"
         : answer == Answer::impossible ? "illegal"
                                        : "undecided";
}

std::vector<std::filesystem::path> files(const std::string& folder, const std::string& extension) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

template <class M>
using Parts = std::vector<std::vector<Timed<typename M::Operation>>>;

// The worst answer of a history's parts: one that is impossible decides. Each gets a little work
// first and more later, so that a hard part does not hide an easy one.
template <class M>
Answer decide(const M& model, const Parts<M>& parts, std::uint64_t& steps) {
  std::vector<std::size_t> left(parts.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (std::uint64_t bound = 10'000; !left.empty() && bound < 10'000'000'000; bound *= 8) {
    std::vector<std::size_t> undecided;
    for (const auto i : left) {
      const Finding finding = explain(model, parts[i], {.max_steps = bound, .stop = {}});
      steps += finding.steps;
      if (finding.answer == Answer::impossible) return finding.answer;
      if (finding.answer == Answer::undecided) undecided.push_back(i);
    }
    left = undecided;
  }
  return left.empty() ? Answer::explained : Answer::undecided;
}

template <class M>
void time_history(const std::string& name, const M& model, const Parts<M>& parts, int rounds,
                  Sum& sum) {
  double best = 1e9;
  Answer answer = Answer::explained;
  std::size_t operations = 0;
  std::uint64_t steps = 0;
  for (const auto& part : parts) operations += part.size();
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    steps = 0;
    answer = decide(model, parts, steps);
    best = std::min(best, Seconds(std::chrono::steady_clock::now() - begin).count());
  }
  fmt::print("{:<24} {:>8} {:<10} {:>10} {:>10.3f} ms\n", name, operations, word(answer), steps,
             best * 1e3);
  ++sum.histories;
  sum.operations += operations;
  sum.seconds += best;
}

void print_sum(const Sum& sum) {
  fmt::print("{} histories, {} operations: {:.3f} ms\n\n", sum.histories, sum.operations,
             sum.seconds * 1e3);
}

// A register under ten clients; `unknown_in` says how many writes there are to one of unknown
// outcome.
std::vector<Timed<EtcdRegister::Operation>> drawn(std::size_t operations, std::size_t unknown_in) {
  using Call = EtcdRegister::Call;
  Random random(7);
  std::vector<Timed<EtcdRegister::Operation>> history;
  int state = EtcdRegister::nil;
  for (std::size_t i = 0; i < operations; ++i) {
    const auto now = static_cast<std::int64_t>(i * 10);
    EtcdRegister::Operation op{random.below(2) == 0 ? Call::read : Call::write};
    const bool unknown = op.call == Call::write && random.below(unknown_in) == 0;
    op.unknown = unknown;
    if (op.call == Call::write) op.value = static_cast<int>(random.below(1000));
    if (op.call == Call::read) op.value = state;
    if (op.call == Call::write && (!unknown || random.below(2) == 0)) {
      state = op.value;
    }
    history.push_back({op, now - static_cast<std::int64_t>(random.below(50)),
                       now + static_cast<std::int64_t>(random.below(50)), unknown});
  }
  return history;
}

void growth() {
  const EtcdRegister model;
  Sum small, large;
  for (const std::size_t size : {10'000, 100'000, 1'000'000}) {
    Sum& sum = size == 10'000 ? small : large;
    sum = {};
    const Parts<EtcdRegister> parts(1, drawn(size, size / 10));
    time_history(fmt::format("drawn, {}", size), model, parts, 1, sum);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("exponent {:.2f}, most memory {} MB\n", std::log10(large.seconds / small.seconds) / 2,
             usage.ru_maxrss / 1024);
}

int bench(const std::vector<std::string>& arguments) {
  std::string jepsen, key_value;
  int rounds = 3;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--jepsen-dir") jepsen = arguments[i + 1];
    if (arguments[i] == "--kv-dir") key_value = arguments[i + 1];
    if (arguments[i] == "--rounds") rounds = std::stoi(arguments[i + 1]);
  }
  fmt::print("{:<24} {:>8} {:<10} {:>10} {:>13}\n", "history", "ops", "verdict", "steps", "time");
  if (!jepsen.empty()) {
    Sum sum;
    for (const auto& path : files(jepsen, ".log")) {
      const Parts<EtcdRegister> parts(1, read_jepsen(path));
      time_history(path.filename().string(), EtcdRegister(), parts, rounds, sum);
    }
    print_sum(sum);
  }
  if (!key_value.empty()) {
    Sum sum;
    for (const auto& path : files(key_value, ".txt")) {
      Parts<KeyValue> parts;
      for (auto& [key, part] : read_key_value(path)) parts.push_back(std::move(part));
      time_history(path.filename().string(), KeyValue(), parts, rounds, sum);
    }
    print_sum(sum);
  }
  growth();
  return 0;
}

}  // namespace
}  // namespace assay::search

int main(int argc, char** argv) { return assay::search::bench({argv + 1, argv + argc}); }
