#include "faults/toxiproxy/lines.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>

#include "faults/detail/http_client.h"
#include "faults/toxiproxy/detail/crossing.h"
#include "faults/toxiproxy/detail/way.h"
#include "harness/contract/clock.h"
#include "harness/contract/random.h"
#include "harness/fault/journal.h"
#include "harness/proxy/shaping_proxy.h"

namespace assay::toxiproxy {

using namespace proxy;

namespace {

std::string front_of(const std::string& line) { return line + "/front"; }
std::string back_of(const std::string& line) { return line + "/back"; }

class ToxiproxyLines final : public Lines {
 public:
  ToxiproxyLines(Client client, Way way, std::unique_ptr<ShapingProxy> relays,
                 std::optional<Journal> journal)
      : client_(std::move(client)),
        way_(std::move(way)),
        relays_(std::move(relays)),
        journal_(std::move(journal)) {}

  ~ToxiproxyLines() override {
    while (!lines_.empty() && remove(lines_.begin()->first).ok()) {
    }
  }

  // That what goes in comes back to us: the server is asked for its version by way of itself.
  Status try_out() {
    const auto api = http::endpoint_from(client_.url(), usual_port);
    if (!api.ok()) return api.error();
    const auto line =
        add({.name = "trial", .listen = "", .upstream = place(way_.theirs, api->port)});
    if (!line.ok()) return line.error();
    const auto through = Client::to("http://" + line->listen);
    const auto version = through.ok() ? through->version() : Result<std::string>(through.error());
    const Status removed = remove("trial");
    if (version.ok()) return removed;
    return Error{
        ErrorCode::unavailable,
        fmt::format("the Toxiproxy at {} answers, but what is sent through it does not come "
                    "back to {}: {}",
                    client_.url(), way_.ours, version.error().message)};
  }

  Result<ProxySpec> add(const ProxySpec& spec) override {
    const std::lock_guard lock(mutex_);
    if (trouble_) return known_trouble();
    if (lines_.contains(spec.name)) return conflict("proxy already exists");
    auto line = std::make_unique<Line>();
    line->name_there = fmt::format("assay-{:016x}-{}", run_, spec.name);
    const auto back = relays_->add({back_of(spec.name), place(way_.ours, 0), spec.upstream},
                                   line->crossing.back());
    if (!back.ok()) return back.error();
    Line& made = *(lines_[spec.name] = std::move(line));
    auto front = join(made, spec, back->listen);
    if (!front.ok()) static_cast<void>(remove_held(spec.name));
    return front;
  }

  Result<ProxySpec> change(const std::string& name, const ProxyChange& change) override {
    const std::lock_guard lock(mutex_);
    Line* line = find(name);
    if (!line) return none(name);
    if (trouble_) return known_trouble();
    if (change.listen || change.upstream || !change.enabled)
      return unsupported(
          "a line through a Toxiproxy is enabled or not, and nothing else of it can be changed");
    const auto there = client_.update(line->name_there, {.enabled = change.enabled});
    if (!there.ok()) return told(there.error());
    // It closes its connections itself, which is the proof; clients who come later are refused by
    // us, since ours is the door that they come to.
    if (!*change.enabled) wait(patience_seconds, [&] { return open(name) == 0; });
    auto front = relays_->change(front_of(name), change);
    line->crossing.part();
    if (front.ok()) front->name = name;
    return front;
  }

  Status remove(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    return find(name) ? remove_held(name) : Status(none(name));
  }

  Result<ToxicSpec> add_toxic(const std::string& name, const ToxicSpec& toxic) override {
    const std::lock_guard lock(mutex_);
    Line* line = find(name);
    if (!line) return none(name);
    if (trouble_) return known_trouble();
    auto added = client_.add_toxic(line->name_there, toxic);
    if (!added.ok()) return told(added.error());
    line->toxics.push_back(*added);
    line->crossing.expect(line->toxics);
    return added;
  }

  Status remove_toxic(const std::string& name, const std::string& toxic) override {
    const std::lock_guard lock(mutex_);
    Line* line = find(name);
    if (!line) return none(name);
    if (trouble_) return known_trouble();
    if (const Status gone = client_.remove_toxic(line->name_there, toxic); !gone.ok())
      return told(gone.error());
    std::erase_if(line->toxics, [&](const ToxicSpec& one) { return one.name == toxic; });
    line->crossing.expect(line->toxics);
    return Done{};
  }

  Result<std::size_t> forsake(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (!find(name)) return none(name);
    return relays_->forsake(back_of(name));
  }

  Result<ProxyCounters> counters(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    Line* line = find(name);
    if (!line) return none(name);
    const auto front = relays_->counters(front_of(name)), back = relays_->counters(back_of(name));
    if (!front.ok() || !back.ok()) return none(name);
    ProxyCounters counters = line->crossing.counters(relays_->now());
    counters.accepted = front->accepted;
    counters.unreached = front->unreached + back->unreached;
    counters.bytes_up = back->bytes_up;
    counters.bytes_down = front->bytes_down;
    counters.open = front->open;
    return counters;
  }

  void settle(const std::string& name) override {
    wait(patience_seconds, [&] {
      const std::lock_guard lock(mutex_);
      Line* line = find(name);
      return !line || line->crossing.is_settled(relays_->now());
    });
  }

  std::optional<std::string> hiccup() override {
    constexpr Crossing::Moment long_for_a_client{200'000};
    const std::lock_guard lock(mutex_);
    Crossing::Moment longest{};
    for (const auto& [name, line] : lines_)
      longest = std::max(longest, line->crossing.longest_hold(relays_->now()));
    if (longest < long_for_a_client) return std::nullopt;
    return fmt::format("the Toxiproxy at {} held something up for {} ms without being told to",
                       client_.url(), longest.count() / 1000);
  }

  Status check() override {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_ = trouble();
    return trouble_ ? Status(known_trouble()) : Status(Done{});
  }

 private:
  struct Line {
    std::string name_there;
    std::vector<ToxicSpec> toxics;
    std::optional<Journal::Number> promised;
    Crossing crossing;  // borrowed by the relays
  };

  static constexpr int usual_port = 8474;
  static constexpr double patience_seconds = 0.5;

  static std::string place(const std::string& host, int port) {
    return fmt::format("{}:{}", host, port);
  }
  static Error none(const std::string& name) {
    return {ErrorCode::unavailable, fmt::format("there is no line {}", name)};
  }
  // Whatever it refuses, it is not what we asked for. One that does not answer is asked once more,
  // and then never again: each question may take long.
  Error told(const Error& error) {
    if (error.code == ErrorCode::unavailable && !trouble_) trouble_ = trouble();
    return {ErrorCode::unavailable,
            fmt::format("the Toxiproxy at {}: {}", client_.url(), error.message), error.reason,
            error.definite};
  }
  Error known_trouble() const { return {ErrorCode::unavailable, *trouble_}; }

  // Makes the proxy there, and the front that leads to it.
  Result<ProxySpec> join(Line& line, const ProxySpec& spec, const std::string& back) {
    if (journal_) {
      const auto promised =
          journal_->promise({"remove_proxy", {{"url", client_.url()}, {"proxy", line.name_there}}});
      if (!promised.ok()) return promised.error();
      line.promised = *promised;
    }
    const auto there = client_.create({line.name_there, place(way_.theirs, 0), back});
    if (!there.ok()) return told(there.error());
    auto front =
        relays_->add({front_of(spec.name), spec.listen, there->listen}, line.crossing.front());
    if (front.ok()) front->name = spec.name;
    return front;
  }

  Status remove_held(const std::string& name) {
    const auto held = lines_.extract(name);
    Line& line = *held.mapped();
    static_cast<void>(relays_->remove(front_of(name)));
    // What cannot be removed now is left to whoever reads the journal.
    const Status gone = trouble_ ? Status(known_trouble()) : client_.remove(line.name_there);
    static_cast<void>(relays_->remove(back_of(name)));
    const bool is_gone = gone.ok() || gone.error().code == ErrorCode::not_found;
    if (is_gone && line.promised) static_cast<void>(journal_->done(*line.promised));
    return is_gone ? Status(Done{}) : Status(told(gone.error()));
  }

  Line* find(const std::string& name) const {
    const auto found = lines_.find(name);
    return found == lines_.end() ? nullptr : found->second.get();
  }

  std::uint64_t open(const std::string& name) const {
    const auto counters = relays_->counters(front_of(name));
    return counters.ok() ? counters->open : 0;
  }

  template <class Until>
  static void wait(double seconds, Until until) {
    RealClock clock;
    for (const Stopwatch watch; !until() && watch.seconds() < seconds;)
      clock.sleep_until(clock.now() + Duration{1}, {});
  }

  // Others may use the server, too, or end it.
  std::optional<std::string> trouble() const {
    const auto all = client_.proxies();
    if (!all.ok())
      return fmt::format("the Toxiproxy at {} has failed: {}", client_.url(), all.error().message);
    for (const auto& [name, line] : lines_)
      if (std::ranges::find(*all, line->name_there, &ProxySpec::name) == all->end())
        return fmt::format(
            "the Toxiproxy at {} has lost a proxy of this run: it was started anew, or somebody "
            "else has removed it",
            client_.url());
    return std::nullopt;
  }

  const Client client_;
  const Way way_;
  const std::uint64_t run_ = fresh_seed();
  std::map<std::string, std::unique_ptr<Line>> lines_;
  const std::unique_ptr<ShapingProxy> relays_;  // gone before what it tells
  std::optional<Journal> journal_;
  std::optional<std::string> trouble_;
  mutable std::mutex mutex_;
};

}  // namespace

Result<std::unique_ptr<Lines>> lines_through(LinesOptions options) {
  constexpr int usual_port = 8474;
  const auto api = http::endpoint_from(options.client.url(), usual_port);
  if (!api.ok()) return api.error();
  auto way = way_to(*api);
  if (!way.ok()) return way.error();
  std::optional<Journal> journal;
  if (!options.journal_folder.empty()) {
    auto opened = Journal::open(options.journal_folder);
    if (!opened.ok()) return opened.error();
    journal.emplace(std::move(*opened));
  }
  auto relays = ShapingProxy::start(options.seed);
  if (!relays.ok()) return relays.error();
  auto lines = std::make_unique<ToxiproxyLines>(std::move(options.client), std::move(*way),
                                                std::move(*relays), std::move(journal));
  if (const Status tried = lines->try_out(); !tried.ok()) return tried.error();
  return std::unique_ptr<Lines>(std::move(lines));
}

}  // namespace assay::toxiproxy
