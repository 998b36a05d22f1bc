#include "drivers/redis/detail/scripts.h"

#include <fmt/format.h>

#include <utility>

#include "drivers/redis/detail/script_texts.h"
#include "harness/contract/check.h"

namespace assay::rds {

std::string rank_of(std::int64_t priority) {
  const std::uint64_t below_highest =
      static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(priority);
  return fmt::format("{:020}", below_highest);
}

static std::string_view name_of_idem(Idem idem) {
  switch (idem) {
    case Idem::return_existing:
      return "existing";
    case Idem::reject_active:
      return "active";
    case Idem::none:
      break;
  }
  return "none";
}

static std::string_view name_of_counter(Counter counter) {
  switch (counter) {
    case Counter::failures:
      return "failures";
    case Counter::attempt_no:
      return "attempt_no";
    case Counter::starts:
      return "starts";
    case Counter::retries:
      break;
  }
  return "retries";
}

// The profile's knobs as the scripts call them.
static std::string settings(const Profile& profile) {
  std::string lua;
  const auto set = [&](std::string_view name, const auto& value) {
    lua += fmt::format("local {} = {}\n", name, value);
  };
  const auto word = [&](std::string_view name, std::string_view value) {
    set(name, fmt::format("'{}'", value));
  };
  const bool counts = profile.expiry_counts == ExpiryCounts::yes;
  const bool waits = profile.expiry_to == ExpiryTo::backoff;
  word("LAYOUT", layout);
  word("MIDDLE", rank_of(0));
  set("HEARD", 40'000'000'000'000);
  set("BY_CALLER", profile.clock == ClockKnob::caller);
  set("VIRTUAL", profile.has("virtual_time"));
  set("SCHEDULES", profile.has("schedule_at_enqueue"));
  set("EDGE", profile.lease_edge == LeaseEdge::alive_at_equal ? 1 : 0);
  set("COUNTS", counts);
  set("WAITS", waits);
  set("SWEEPS", counts || waits);
  word("COUNTER", name_of_counter(profile.counter));
  set("FIRST_ATTEMPTS", profile.counter == Counter::attempt_no ? 1 : 0);
  set("RETRIES", profile.limit_unit == LimitUnit::retries);
  set("DEFAULT_LIMIT", profile.default_limit);
  set("BASE", profile.backoff.base.count());
  set("CAP", profile.backoff.cap.count());
  word("IDEM", name_of_idem(profile.idem));
  set("HIDDEN", profile.retry_view == RetryView::ready_hidden);
  set("FRESH", profile.replay == Replay::fresh_job);
  set("LATE", profile.late_settle != LateSettle::reject);
  set("BY_ATTEMPT", profile.fence == Fence::token_attempt);
  set("UNFENCED", profile.fence == Fence::none || profile.late_settle == LateSettle::unfenced);
  set("RESETTLE", profile.resettle == Resettle::ok);
  set("RESETTLE_FOREIGN", profile.resettle_foreign == Resettle::ok);
  // Where the short ways of claim.lua and finish.lua hold.
  const bool plain = profile.clock == ClockKnob::caller && (counts || waits);
  set("LEAN_CLAIM",
      plain && profile.counter != Counter::starts && profile.counter != Counter::attempt_no);
  set("LEAN_ACK",
      plain && profile.fence != Fence::token_attempt && profile.idem != Idem::reject_active);
  return lua;
}

static std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

std::string_view name_of(Op op) {
  static constexpr std::string_view names[] = {"enqueue", "reserve", "extend",  "ack",    "retry",
                                               "fail",    "nack",    "cancel",  "pause",  "resume",
                                               "get",     "list",    "requeue", "commit", "record",
                                               "scan",    "listen",  "advance", "create", "drop"};
  static_assert(std::size(names) == op_count);
  return names[static_cast<std::size_t>(op)];
}

// The calls that a commit makes, as functions: the very texts that make them alone. Whether a
// settle was a repetition is kept for it.
static std::string calls_of_commit() {
  namespace lua = script_texts;
  std::string text = R"lua(
local is_repeated, admit_alone, settles = false, admit, {}
local function admit(kind)
  local job, answer = admit_alone(kind)
  if not job and answer[1] == 1 then is_repeated = true end
  return job, answer
end
)lua";
  const auto settle = [&](std::string_view kind, std::string_view body) {
    text += fmt::format("function settles.{}()\n{}end\n", kind, body);
  };
  settle("hold", lua::extend);
  settle("ack", lua::ack);
  settle("retry", lua::retry);
  settle("fail", lua::fail);
  settle("nack", lua::nack);
  return text + fmt::format("local function enqueue(ARGV)\n{}end\n", lua::enqueue);
}

Scripts::Scripts(const Profile& profile, const Alter& alter) {
  namespace lua = script_texts;
  const std::string knobs = settings(profile);
  const std::string base = joined({lua::begin, lua::job});
  const std::string lines = base + std::string(lua::line);
  const std::string failing = lines + std::string(lua::failure);
  const std::string settling = failing + std::string(lua::settle);
  const auto set = [&](Op op, std::initializer_list<std::string_view> parts) {
    std::string text = knobs + joined(parts);
    if (alter) alter(name_of(op), text);
    rounds_[static_cast<std::size_t>(op)] = cut(text);
  };
  set(Op::enqueue, {lua::enqueue});
  set(Op::reserve, {lua::claim, failing, lua::expire, lua::reserve});
  set(Op::extend, {settling, lua::extend});
  set(Op::ack, {lua::finish, settling, lua::ack});
  set(Op::retry, {settling, lua::retry});
  set(Op::fail, {settling, lua::fail});
  set(Op::nack, {settling, lua::nack});
  set(Op::cancel, {failing, lua::cancel});
  set(Op::pause, {lines, lua::pause});
  set(Op::resume, {lines, lua::resume});
  set(Op::get, {base, lua::get});
  set(Op::list, {base, lua::arrivals, lua::list});
  set(Op::requeue, {lines, lua::requeue});
  set(Op::commit, {lua::rehearse, settling, calls_of_commit(), lua::commit});
  set(Op::record, {lua::begin, lua::record});
  set(Op::scan, {lua::begin, lua::scan});
  set(Op::listen, {lua::listen});
  set(Op::advance, {lua::begin, lua::advance});
  set(Op::create, {lua::create});
  set(Op::drop, {lua::arrivals, lua::drop});
}

static bool is_command(std::string_view text) {
  return text == "WATCH" || text == "MULTI" || text == "EXEC";
}

// The words of a script's command: EVALSHA, its digest, the number of keys, the root, and then its
// arguments.
static constexpr std::size_t words_before_root = 3, words_before_subject = 6;

Scripts::Rounds Scripts::cut(std::string_view text) {
  // The first script is called as any is; the others know what was seen as one more key.
  static constexpr std::string_view knows = "local SEEN, KEYS = KEYS[1], {KEYS[2]}\n";
  Rounds rounds;
  bool is_first = true;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(redis_round);
    const std::string_view one = text.substr(0, end);
    if (end != std::string_view::npos) text.remove_prefix(end + redis_round.size());
    const bool plain = is_command(one) || std::exchange(is_first, false);
    rounds.push_back({plain ? std::string(one) : joined({knows, one})});
  }
  return rounds;
}

void Scripts::load(Connection& connection) {
  for (Rounds& rounds : rounds_)
    for (Round& round : rounds)
      if (!is_command(round.text))
        round.digest = connection.run({"SCRIPT", "LOAD", round.text}).value().text();
}

Words Scripts::begin(Op op, std::string_view key) const {
  return {"EVALSHA", rounds_[static_cast<std::size_t>(op)].front().digest, "1", key};
}

Reply Scripts::run(const Round& round, Connection& connection, const Words& words) {
  Reply reply = connection.ask(words);
  if (!reply.value().is_error()) return reply;
  if (server_code(reply.value().text()) == ServerCode::noscript) {
    connection.run({"SCRIPT", "LOAD", round.text});
    return connection.run(words);
  }
  const std::string text(reply.value().text());
  throw Failure{Trouble::refused, text, server_code(text)};
}

Reply Scripts::run(Op op, Connection& connection, const Words& words) const {
  const Rounds& rounds = rounds_[static_cast<std::size_t>(op)];
  if (rounds.size() == 1) return run(rounds.front(), connection, words);
  return run_apart(rounds, connection, words);
}

Reply Scripts::run_apart(const Rounds& rounds, Connection& connection, const Words& words) {
  std::optional<Reply> last;
  std::string seen;
  bool watches = false;
  for (const Round& round : rounds) {
    if (round.text == "WATCH") {
      watches = true;
      connection.run({"WATCH", std::string(words.word(words_before_root)) +
                                   ":job:" + std::string(words.word(words_before_subject))});
      continue;
    }
    if (is_command(round.text)) {
      connection.run({round.text});
      continue;
    }
    const Words own = words.headed(
        last ? Words{"EVALSHA", round.digest, "2", seen} : Words{"EVALSHA", round.digest, "1"},
        words_before_root);
    Reply reply = run(round, connection, own);
    const bool goes_on = reply.value().is_list() && reply[0].number() == 2;
    if (goes_on) seen = reply[1].text();
    const bool queued = last && watches;  // between MULTI and EXEC
    if (!queued) last = std::move(reply);
    if (!goes_on && !queued) {
      if (watches) connection.run({"UNWATCH"});
      break;
    }
  }
  return *std::move(last);
}

// Those that the server did not take, because it forgot the script or is not the right node, are
// sent again, one by one: that had no effect.
std::vector<Answer> Scripts::run_all(Op op, Connection& connection,
                                     std::span<const Words> commands) const {
  CHECK(is_one_round(op));
  std::vector<Answer> answers = connection.ask_all(commands);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Reply* const reply = std::get_if<Reply>(&answers[i]);
    if (!reply || !reply->value().is_error()) continue;
    const std::string text(reply->value().text());
    const ServerCode code = server_code(text);
    try {
      if (code != ServerCode::noscript && code != ServerCode::moved)
        throw Failure{Trouble::refused, text, code};
      answers[i] = run(op, connection, commands[i]);
    } catch (const Failure& failure) {
      answers[i] = failure;
    }
  }
  return answers;
}

}  // namespace assay::rds
