#include "harness/history/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "harness/contract/detail/operation_json.h"
#include "harness/contract/detail/quick_json.h"
#include "harness/contract/profile_json.h"
#include "harness/history/detail/line_source.h"
#include "harness/history/detail/lines.h"

namespace assay {

using detail::Fields;
using detail::Malformed;
using detail::QuickFields;
using detail::Reading;
using nlohmann::json;

namespace {

enum class Noticed {
  cut_short,
  not_json,
  unusable,
  unusable_answer,
  unknown_kind,
  unknown_request,
  no_call,
  twice_open,
  used_before,
  time_back,
  second_header,
  count
};

constexpr bool leaves_gap(Noticed what) {
  return what == Noticed::not_json || what == Noticed::unusable ||
         what == Noticed::unknown_request || what == Noticed::no_call ||
         what == Noticed::twice_open || what == Noticed::second_header;
}

// The numbers that were used, as ranges: those of one counter take no room.
class UsedNumbers {
 public:
  // False where it was used before. Past a bound, numbers all over the place are not remembered.
  bool add(OpId op) {
    // Most come one after the other.
    if (const auto last = ranges_.rbegin(); last != ranges_.rend() && op == last->second + 1) {
      ++last->second;
      return true;
    }
    auto after = ranges_.upper_bound(op);
    const auto before = after == ranges_.begin() ? ranges_.end() : std::prev(after);
    if (before != ranges_.end() && op <= before->second) return false;
    const bool joins_before = before != ranges_.end() && before->second + 1 == op;
    const bool joins_after = after != ranges_.end() && op + 1 == after->first;
    const OpId last = joins_after ? after->second : op;
    if (joins_after) ranges_.erase(after);
    if (joins_before)
      before->second = last;
    else if (joins_after || ranges_.size() < most_ranges)
      ranges_.emplace(op, last);
    return true;
  }

 private:
  static constexpr std::size_t most_ranges = 100'000;
  std::map<OpId, OpId> ranges_;  // first to last
};

// What deep nesting does to a recursive writer is not tried.
bool is_deep(std::string_view line) {
  constexpr std::size_t deepest = 100;
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_quoted && c == '\\')
      ++i;
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && (c == '{' || c == '['))
      ++depth;
    else if (!is_quoted && (c == '}' || c == ']') && depth > 0)
      --depth;
    if (depth > deepest) return true;
  }
  return false;
}

Profile read_profile(Fields& fields) {
  const json& value = fields.any("profile");
  if (value.is_string()) {
    if (auto built_in = built_in_profile(value.get_ref<const std::string&>())) return *built_in;
    fields.wrong("profile", "is not the name of a built-in profile");
  }
  auto profile = profile_from_json(value.dump());
  if (!profile) fields.wrong("profile", profile.error().message);
  return *profile;
}

template <class Fields>
Instant read_now(Fields& fields) {
  const Instant now = fields.instant("now_ms");
  if (now < Instant{} || now > end_of_time) fields.wrong("now_ms", "is no time of this world");
  return now;
}

bool is_number(const json& value) { return value.is_number(); }
bool is_number(const QuickFields::Value& value) {
  return value.kind == detail::QuickJson::Kind::number;
}

// An operation that has begun.
struct Begun {
  const Request* kind;   // one of its kind; nothing in it
  std::size_t line = 0;  // of its call
  Instant now = {};      // and its clock
  int others = 0;        // that began under the same number while it was open
  int answers = 0;       // to any of them
};

}  // namespace

struct HistoryReader::State {
  explicit State(std::istream& in) : lines(in) {}

  detail::LineSource lines;
  std::optional<json> first;  // line, where it is not a header
  detail::QuickJson plain;
  std::vector<std::string> clients;
  std::size_t numbered = 0;  // clients of the header
  std::unordered_map<std::string, int> by_name;
  std::vector<std::optional<int>> by_number;      // those that have no name
  std::vector<std::optional<Instant>> last_seen;  // by client
  std::optional<Instant> last_clock;
  std::unordered_map<OpId, Begun> open;
  std::unordered_set<OpId> left_out;  // calls; their answers are, too
  UsedNumbers used;
  OpId spare = OpId{1} << 63;  // numbers for calls whose own is taken
  std::array<std::optional<HistoryNote>, static_cast<std::size_t>(Noticed::count)> noticed;
  bool over = false;

  void note(Noticed what, std::string sentence) {
    auto& known = noticed[static_cast<std::size_t>(what)];
    if (known)
      ++known->count;
    else
      known = HistoryNote{lines.number(), std::move(sentence), 1, leaves_gap(what)};
  }

  // The event of the next line that has one; false at the end.
  bool next_event(Event& to) {
    if (first) {
      const json line = std::move(*first);
      first.reset();
      if (event(line, to)) return true;
    }
    while (!over && lines.next()) {
      if (!lines.is_too_long() && lines.text().find_first_not_of(" \t\r") == std::string::npos)
        continue;
      if (!lines.is_too_long()) {
        bool read = false;
        if (quick_event(to, read)) {
          if (read) return true;
          continue;
        }
        const json line = json::parse(lines.text(), nullptr, false);
        if (!line.is_discarded()) {
          if (event(line, to)) return true;
          continue;
        }
      }
      if (lines.is_ended())
        note(Noticed::not_json,
             lines.is_too_long() ? "is too long: left out" : "is not valid JSON: left out");
      else
        note(Noticed::cut_short,
             "the file is cut short: its last line is incomplete; judged up to there");
    }
    return false;
  }

  int client_named(const std::string& name) {
    const auto [at, fresh] = by_name.emplace(name, static_cast<int>(clients.size()));
    if (fresh) clients.push_back(name);
    return at->second;
  }

  // Most lines are plain. False where this one is not; then nothing has been done. `read`: there is
  // an event in it.
  bool quick_event(Event& to, bool& read) {
    if (!plain.parse(lines.text())) return false;
    try {
      QuickFields fields(plain);
      const std::string_view kind = fields.word("kind");
      if (kind == "call")
        read = call(fields, to.emplace<CallEvent>());
      else if (kind == "return")
        read = answer(fields, to.emplace<ReturnEvent>());
      else if (kind == "clock")
        read = clock(fields, to.emplace<ClockEvent>());
      else
        return false;
      return true;
    } catch (const detail::Unusual&) {
      return false;
    }
  }

  template <class Fields>
  int client(Fields& fields) {
    if (!fields.has("client")) return client_named("somebody");
    if (!is_number(fields.any("client"))) return client_named(fields.text("client"));
    const std::int64_t index = fields.number("client");
    if (index >= 0 && static_cast<std::size_t>(index) < numbered) return static_cast<int>(index);
    return client_numbered(index);
  }

  int client_numbered(std::int64_t index) {
    constexpr std::int64_t kept_below = 4096;
    if (index < 0 || index >= kept_below) return client_named(fmt::format("#{}", index));
    const auto at = static_cast<std::size_t>(index);
    if (by_number.size() <= at) by_number.resize(at + 1);
    if (!by_number[at]) by_number[at] = client_named(fmt::format("#{}", index));
    return *by_number[at];
  }

  HistoryHead header(const json& line) {
    Fields fields(line, "", Reading::leniently);
    const std::int64_t format = fields.number_or("schema", detail::history_schema);
    if (format != detail::history_schema)
      fields.wrong("schema", fmt::format("is {}; this version of Assay reads {}", format,
                                         detail::history_schema));
    HistoryHead head;
    head.driver = fields.text_or("driver", "");
    if (fields.has("profile")) head.profile = read_profile(fields);
    if (fields.has("clients")) clients = fields.texts("clients");
    numbered = clients.size();
    for (std::size_t i = 0; i < numbered; ++i) by_name.emplace(clients[i], static_cast<int>(i));
    return head;
  }

  void look_at_time(int client, Instant now) {
    const auto at = static_cast<std::size_t>(client);
    if (last_seen.size() <= at) last_seen.resize(at + 1);
    if (last_seen[at] && now < *last_seen[at])
      note(Noticed::time_back, fmt::format("time runs backwards: the clock of {} goes from {} to "
                                           "{}",
                                           clients[at], to_ms(*last_seen[at]), to_ms(now)));
    last_seen[at] = now;
  }

  // These three are false where the line is no event; then what is in it means nothing.
  template <class Fields>
  bool call(Fields& fields, CallEvent& event) {
    event.op = fields.unsigned_number("op");
    const auto request = fields.word("request");
    if (!detail::is_request(request)) {
      note(Noticed::unknown_request,
           fmt::format("\"{}\" is not a request that the contract knows: left out", request));
      left_out.insert(event.op);
      return false;
    }
    try {
      event.now = read_now(fields);
      detail::read_request(fields, request, detail::read_kept_payload<Fields>, event.request);
      event.client = client(fields);
    } catch (const Malformed&) {
      left_out.insert(event.op);
      throw;
    }
    look_at_time(event.client, event.now);
    begin(event);
    return true;
  }

  void begin(CallEvent& event) {
    left_out.erase(event.op);
    const bool fresh = used.add(event.op);
    const Begun one{&detail::empty_like(event.request), lines.number(), event.now};
    const auto [at, begun] = open.try_emplace(event.op, one);
    if (!begun) {
      // Whose answer the next one will be nobody knows: neither has a known outcome.
      note(Noticed::twice_open,
           fmt::format("operation {} has begun already, at line {}: the outcome of both is taken "
                       "as unknown",
                       event.op, at->second.line));
      ++at->second.others;
      event.op = spare++;
    } else if (!fresh) {
      note(Noticed::used_before,
           fmt::format("the number of operation {} was used before; stories may mix the two up",
                       event.op));
    }
  }

  template <class Fields>
  bool answer(Fields& fields, ReturnEvent& event) {
    event.op = fields.unsigned_number("op");
    if (left_out.erase(event.op) > 0) return false;
    const auto at = open.find(event.op);
    if (at == open.end()) {
      note(Noticed::no_call,
           fmt::format("operation {} ends, but it has not begun or has ended already: left out",
                       event.op));
      return false;
    }
    if (at->second.others > 0) {
      if (++at->second.answers > at->second.others) open.erase(at);
      return false;
    }
    try {
      if (fields.has("now_ms")) event.now = read_now(fields);
      detail::read_outcome(fields, *at->second.kind, event);
    } catch (const Malformed& malformed) {
      note(Noticed::unusable_answer,
           fmt::format("{}: the outcome of operation {} is taken as unknown", malformed.text(),
                       event.op));
      event = {event.op, OutcomeKind::unknown, Done{}, {}, event.now};
    }
    if (event.now && *event.now < at->second.now)
      note(Noticed::time_back,
           fmt::format("time runs backwards: operation {} begins at {} and ends at {}; it is taken "
                       "to have happened when it began",
                       event.op, to_ms(at->second.now), to_ms(*event.now)));
    open.erase(at);
    return true;
  }

  template <class Fields>
  bool clock(Fields& fields, ClockEvent& event) {
    event.now = read_now(fields);
    if (last_clock && event.now < *last_clock)
      note(Noticed::time_back,
           fmt::format("time runs backwards: the clock is put back from {} to {}",
                       to_ms(*last_clock), to_ms(event.now)));
    last_clock = event.now;
    return true;
  }

  bool event(const json& line, Event& to) {
    try {
      Fields fields(line, "", Reading::leniently);
      const std::string kind = fields.text("kind");
      if (kind == "call") return call(fields, to.emplace<CallEvent>());
      if (kind == "return") return answer(fields, to.emplace<ReturnEvent>());
      if (kind == "clock") return clock(fields, to.emplace<ClockEvent>());
      if (kind == "fault") {
        FaultEvent& fault = to.emplace<FaultEvent>(detail::read_fault(fields));
        if (fields.has("client")) fault.client = client(fields);
        return true;
      }
      if (kind == "engine") {
        EngineEvent& engine = to.emplace<EngineEvent>(detail::read_engine_event(fields));
        if (fields.has("client")) engine.client = client(fields);
        return true;
      }
      if (kind == "history") {
        note(Noticed::second_header, "another history begins here; judged up to there");
        over = true;
      } else {
        note(Noticed::unknown_kind,
             fmt::format("\"{}\" is not a kind of line that Assay knows: left out", kind));
      }
    } catch (const Malformed& malformed) {
      note(Noticed::unusable, malformed.text() + ": left out");
    }
    return false;
  }

  // Nothing where the input cannot be read to its end; `read`: there was one more.
  Status next(Event& to, bool& read) {
    read = !over && next_event(to);
    if (read) return Done{};
    if (lines.failed()) return Error{ErrorCode::unavailable, "it cannot be read to its end"};
    over = true;
    return Done{};
  }

  std::optional<HistoryNote> never_ended() const {
    std::optional<HistoryNote> note;
    for (const auto& [op, begun] : open)
      if (!note || begun.line < note->line)
        note = HistoryNote{begun.line, fmt::format("operation {} never ends: its outcome is "
                                                   "taken as unknown",
                                                   op)};
    if (note) note->count = open.size();
    return note;
  }
};

HistoryReader::HistoryReader(std::istream& in) : state_(std::make_unique<State>(in)) {}
HistoryReader::~HistoryReader() = default;

Result<HistoryHead> HistoryReader::open() {
  State& state = *state_;
  const auto refuse = [&](std::string_view why) {
    return invalid(fmt::format("line {}: {}", state.lines.number(), why));
  };
  while (state.lines.next() && !state.lines.is_too_long() &&
         state.lines.text().find_first_not_of(" \t\r") == std::string::npos)
    if (!state.lines.is_ended()) break;
  if (state.lines.failed()) return Error{ErrorCode::unavailable, "it cannot be read"};
  const std::string_view text = state.lines.text();
  if (text.empty() && !state.lines.is_too_long())
    return invalid("there is no history: the file is empty");
  const json line = is_deep(text) ? json() : json::parse(text, nullptr, false);
  if (state.lines.is_too_long() || !line.is_object())
    return refuse("is not a JSON object: this is not a history");
  const auto kind = line.find("kind");
  if (kind == line.end() || !kind->is_string())
    return refuse("has no \"kind\": this is not a history");
  if (*kind != "history") {
    state.first = line;
    return HistoryHead{};
  }
  try {
    return state.header(line);
  } catch (const Malformed& malformed) {
    return refuse(malformed.text());
  }
}

Result<std::optional<Event>> HistoryReader::next() {
  std::optional<Event> event(std::in_place);
  bool read = false;
  if (Status status = state_->next(*event, read); !status) return status.error();
  if (!read) event.reset();
  return event;
}

Status HistoryReader::next(std::vector<Event>& events) {
  constexpr std::size_t at_once = 250;
  events.resize(at_once);
  std::size_t count = 0;
  Status status = Done{};
  for (bool read = true; read && count < at_once; count += read ? 1 : 0)
    status = state_->next(events[count], read);
  events.resize(count);
  return count > 0 ? Status(Done{}) : status;
}

std::vector<HistoryNote> HistoryReader::notes() const {
  std::vector<HistoryNote> notes;
  for (const auto& each : state_->noticed)
    if (each) notes.push_back(*each);
  if (auto never = state_->over ? state_->never_ended() : std::nullopt) notes.push_back(*never);
  std::ranges::stable_sort(notes, {}, &HistoryNote::line);
  return notes;
}

const std::vector<std::string>& HistoryReader::clients() const { return state_->clients; }

}  // namespace assay
