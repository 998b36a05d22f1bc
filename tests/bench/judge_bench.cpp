// How fast a history is judged, and how much memory that takes, as it grows. Fifty clients whose
// calls overlap; events are made one at a time and not kept.
//
//   judge_bench [--sizes 100000,1000000,10000000] [--queues 50] [--clients 50] [--only judge]
//   judge_bench --write 1000 > history.jsonl
//
// "judge" is the judge alone, given events; "read" is reading events from their lines, and nothing
// else; "lines" is both, one event after the other, as `assay judge` does. Seconds are those of the
// processor; what making the events and lines takes is left out. Each row runs in a process of its
// own, so that its peak memory is its own.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <iostream>
#include <set>
#include <sstream>

#include "harness/contract/random.h"
#include "harness/history/jsonl.h"
#include "harness/history/reader.h"
#include "harness/judge/judge.h"
#include "properties/all.h"

namespace assay {
namespace {

struct Load {
  std::uint64_t events = 0;
  std::size_t clients = 50;
  std::size_t queues = 50;
};

// A queue that keeps the contract: whatever a call does happens when it returns.
class Made {
 public:
  explicit Made(const Load& load) : load_(load), random_(1), clients_(load.clients) {
    waiting_.resize(load.queues);
  }

  std::optional<Event> next() {
    if (made_ == load_.events) return std::nullopt;
    if (++made_ % 50 == 0) now_ += Duration{1};
    const std::size_t who = random_.below(clients_.size());
    return clients_[who].call ? end(clients_[who]) : begin(who);
  }

 private:
  struct Client {
    std::optional<CallEvent> call;
    std::optional<Hold> held;
  };
  // In the line: when it was called for, then by number.
  using Place = std::pair<Instant, OpId>;

  std::string some_queue() { return fmt::format("q{}", random_.below(load_.queues)); }

  Event begin(std::size_t who) {
    Client& client = clients_[who];
    Request request;
    if (client.held)
      request = Ack{*client.held};
    else if (random_.below(2) == 0)
      request = Enqueue{{.id = fmt::format("job-{}", jobs_++), .queue = some_queue(), .type = "t"}};
    else
      request = Reserve{{some_queue()}, std::chrono::hours(1), fmt::format("w{}", who), 1, {}};
    client.call = CallEvent{ops_++, static_cast<int>(who), now_, std::move(request)};
    return *client.call;
  }

  Event end(Client& client) {
    ReturnEvent event;
    event.op = client.call->op;
    if (const auto* made = std::get_if<Enqueue>(&client.call->request)) {
      queue(made->job.queue).emplace(Place{client.call->now, event.op}, *made->job.id);
      event.response = Enqueued{*made->job.id, false};
    } else if (const auto* asked = std::get_if<Reserve>(&client.call->request)) {
      event.response = claim(client, *asked, event.op);
    } else {
      client.held.reset();
    }
    client.call.reset();
    return event;
  }

  Claims claim(Client& client, const Reserve& asked, OpId op) {
    auto& line = queue(asked.queues.front());
    // By the caller's clock a job that was made later is not due yet.
    if (line.empty() || line.begin()->first.first > client.call->now) return {};
    Claim claim;
    claim.job.id = line.begin()->second;
    line.erase(line.begin());
    claim.job.queue = asked.queues.front();
    claim.job.type = "t";
    claim.job.state = JobState::leased;
    claim.token = fmt::format("token-{}", op);
    claim.version = 1;
    claim.expires_at = client.call->now + asked.lease;
    client.held = Hold{claim.job.id, claim.token, {}};
    return {{std::move(claim)}};
  }

  std::set<std::pair<Place, JobId>>& queue(const std::string& name) {
    return waiting_[std::stoul(name.substr(1))];
  }

  Load load_;
  Random random_;
  std::vector<Client> clients_;
  std::vector<std::set<std::pair<Place, JobId>>> waiting_;
  Instant now_ = run_epoch;
  std::uint64_t made_ = 0, ops_ = 0, jobs_ = 0;
};

// Of the processor, as far as this process has used it.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The same as lines, made when they are read.
class MadeLines final : public std::streambuf {
 public:
  explicit MadeLines(const Load& load) : made_(load) {
    History head;
    head.profile = *built_in_profile("reference");
    text_ = header_line(head) + "\n";
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

  double making_seconds() const { return making_seconds_; }

 private:
  int_type underflow() override {
    const double start = cpu_seconds();
    text_.clear();
    while (text_.size() < 1024 * 1024) {
      const auto event = made_.next();
      if (!event) break;
      text_ += event_line(*event) + "\n";
    }
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    making_seconds_ += cpu_seconds() - start;
    return text_.empty() ? traits_type::eof() : traits_type::to_int_type(text_.front());
  }

  Made made_;
  std::string text_;
  double making_seconds_ = 0;
};

struct Figures {
  double seconds = 0;
  long peak_kb = 0;
  std::uint64_t findings = 0, undecided = 0, rules = 0;
};

long peak_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// What is measured.
enum class Work { judge, read, lines };
constexpr std::pair<Work, std::string_view> works[] = {
    {Work::judge, "judge"}, {Work::read, "read"}, {Work::lines, "lines"}};

// So many of the next events.
void make(Made& made, std::vector<Event>& events) {
  constexpr std::size_t at_once = 250;  // as hot as a reader hands them on
  events.clear();
  while (events.size() < at_once) {
    auto event = made.next();
    if (!event) break;
    events.push_back(std::move(*event));
  }
}

Judgement judge_events(const Load& load, double& seconds) {
  Judge judge(*built_in_profile("reference"), all_properties());
  Made made(load);
  std::vector<Event> events;
  for (make(made, events); !events.empty(); make(made, events)) {
    const double start = cpu_seconds();
    judge.observe(events);
    events.clear();  // what it gives back
    seconds += cpu_seconds() - start;
  }
  const double start = cpu_seconds();
  Judgement judgement = judge.finish();
  seconds += cpu_seconds() - start;
  return judgement;
}

Judgement judge_lines(const Load& load, bool only_read, double& seconds) {
  Judge judge(*built_in_profile("reference"), all_properties());
  MadeLines lines(load);
  std::istream in(&lines);
  const double start = cpu_seconds();
  HistoryReader reader(in);
  if (!reader.open()) return {};
  for (std::vector<Event> events; reader.next(events) && !events.empty();)
    if (!only_read) judge.observe(events);
  Judgement judgement = judge.finish();
  seconds = cpu_seconds() - start - lines.making_seconds();
  return judgement;
}

Figures measure(const Load& load, Work work) {
  Figures figures;
  {
    // What making alone takes is there before.
    Made made(load);
    std::vector<Event> events;
    do make(made, events);
    while (!events.empty());
  }
  const long before = peak_kb();
  const Judgement judgement = work == Work::judge
                                  ? judge_events(load, figures.seconds)
                                  : judge_lines(load, work == Work::read, figures.seconds);
  figures.peak_kb = peak_kb() - before;
  for (const auto& [rule, tally] : judgement.tallies) {
    figures.findings += tally.convicted;
    ++figures.rules;
  }
  figures.undecided = judgement.undecided;
  // The queue keeps the contract, so this is a mistake of the judge's or of the bench's.
  if (!judgement.findings.empty())
    fmt::print(stderr, "{}: {}\n", judgement.findings.front().rule,
               judgement.findings.front().story);
  return figures;
}

// In a process of its own.
std::optional<Figures> measure_apart(const Load& load, Work work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Figures figures = measure(load, work);
    const bool told = write(ends[1], &figures, sizeof figures) == sizeof figures;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  const bool told = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return told ? std::optional(figures) : std::nullopt;
}

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::vector<std::uint64_t> all;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each, ',');) all.push_back(std::stoull(each));
  return all;
}

// For a look at what is judged.
int write_history(Load load, std::uint64_t events) {
  load.events = events;
  MadeLines lines(load);
  std::cout << &lines;
  return 0;
}

int bench(const std::vector<std::string>& arguments) {
  std::vector<std::uint64_t> sizes{100'000, 1'000'000, 10'000'000};
  Load load;
  std::string only;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--sizes") sizes = numbers(arguments[i + 1]);
    if (arguments[i] == "--queues") load.queues = std::stoul(arguments[i + 1]);
    if (arguments[i] == "--clients") load.clients = std::stoul(arguments[i + 1]);
    if (arguments[i] == "--only") only = arguments[i + 1];
    if (arguments[i] == "--write") return write_history(load, std::stoull(arguments[i + 1]));
  }
  fmt::print("{} clients, {} queues\n{:<6} {:>10} {:>9} {:>12} {:>11} {:>6} {:>9} {:>10}\n",
             load.clients, load.queues, "what", "events", "seconds", "events/s", "bytes/event",
             "rules", "convicted", "undecided");
  for (const auto& [work, name] : works) {
    if (!only.empty() && only != name) continue;
    std::vector<double> seconds;
    for (const std::uint64_t size : sizes) {
      load.events = size;
      const auto figures = measure_apart(load, work);
      if (!figures) return 1;
      seconds.push_back(figures->seconds);
      fmt::print("{:<6} {:>10} {:>9.3f} {:>12.0f} {:>11.1f} {:>6} {:>9} {:>10}\n", name, size,
                 figures->seconds, static_cast<double>(size) / figures->seconds,
                 static_cast<double>(figures->peak_kb) * 1024 / static_cast<double>(size),
                 figures->rules, figures->findings, figures->undecided);
      std::fflush(stdout);
    }
    if (sizes.size() > 1)
      fmt::print(
          "{:<6} exponent {:.3f}\n", name,
          std::log(seconds.back() / seconds.front()) /
              std::log(static_cast<double>(sizes.back()) / static_cast<double>(sizes.front())));
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) { return assay::bench({argv + 1, argv + argc}); }
