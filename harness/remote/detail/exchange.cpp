#include "harness/remote/detail/exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/clock.h"

namespace assay::detail {

using nlohmann::json;
using protocol::excerpt;
using protocol::Problem;

static constexpr std::size_t shown_columns = 160;
static constexpr int most_strays = 20;
static constexpr double lull_seconds = 0.05;  // long enough for a line that is written already

// What is wrong with a refusal as such; empty: nothing.
static std::string expected_instead(Must must, std::string_view code) {
  if (must == Must::succeed) return "`ok`";
  if (must == Must::exist && code == "unsupported")
    return "an operation that every driver has, or that the profile claims";
  if (must == Must::refuse && code != "unsupported" && code != "invalid")
    return "`unsupported` or `invalid`";
  if (code == "internal") return "`ok`, or a refusal that says why";
  return "";
}

static std::string told_refusal(const json& error) {
  std::string text = error.at("code");
  if (const auto message = error.find("message"); message != error.end() && message->is_string())
    text += ": " + message->get<std::string>();
  return excerpt(text, shown_columns);
}

static bool is_there(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && !found->is_null();
}

std::vector<Ok> Exchange::ask(const std::vector<Ask>& asks) {
  std::vector<Open> open;
  for (const Ask& ask : asks) {
    Open& next = open.emplace_back(Open{&ask});
    if (over_) continue;
    next.id = static_cast<std::int64_t>(connection_.next_id());
    nlohmann::ordered_json request{{"id", next.id}};
    request.update(ask.fields);
    next.line = request.dump();
    if (!connection_.post(next.line)) fall_silent(next, connection_.broken()->message);
  }
  wait(open);
  std::vector<Ok> all;
  for (Open& each : open) all.push_back(std::move(each.ok));
  return all;
}

void Exchange::wait(std::vector<Open>& open) {
  const Stopwatch watch;
  const double limit = heard_ ? options_.answer_seconds : options_.start_seconds;
  int strays = 0;
  while (!over_) {
    const auto first = std::ranges::find(open, false, &Open::answered);
    if (first == open.end()) return;
    const Result<std::string> line = connection_.next_line(limit - watch.seconds());
    if (!line)
      fall_silent(*first, connection_.broken() ? line.error().message
                                               : fmt::format("no answer within {} s", limit));
    else if (!take(*line, open) && ++strays > most_strays)
      fall_silent(*first, "only lines that answer nothing");
  }
}

// Whether it answered one of them.
bool Exchange::take(const std::string& line, std::vector<Open>& open) {
  heard_ = true;
  Open& first = *std::ranges::find(open, false, &Open::answered);
  const json answer = json::parse(line, nullptr, false);
  if (!answer.is_object()) {
    add(first, protocol::problems_of_answer(first.ask->what, line, first.id), line);
    return false;
  }
  const auto given = answer.find("id");
  const bool numbered = given != answer.end() && given->is_number_integer();
  const std::int64_t id = numbered ? given->get<std::int64_t>() : 0;
  const auto meant = std::ranges::find(open, id, &Open::id);
  if (meant != open.end() && !meant->answered) {
    settle(*meant, answer, line);
    return true;
  }
  if (id > 0 && id <= open.back().id) {
    add(first, {{"id", "one answer a request", fmt::format("another one to request {}", id)}},
        line);
    return false;
  }
  settle(first, answer, line);  // meant for it, it seems: what is wrong with the id is told
  return true;
}

void Exchange::settle(Open& open, const json& answer, const std::string& line) {
  open.answered = true;
  const std::string op = open.ask->fields.at("op");
  std::vector<Problem> problems = protocol::problems_of_answer(op, line, open.id);
  std::string shown;
  if (!problems.empty()) {
    shown = "";
  } else if (is_there(answer, "error")) {
    const json& error = answer.at("error");
    const std::string code = error.at("code");
    shown = code == "unsupported" ? code : "refused: " + code;
    if (const std::string expected = expected_instead(open.ask->must, code); !expected.empty())
      problems.push_back({"error", expected, told_refusal(error)});
  } else {
    shown = "ok";
    open.ok = answer.at("ok");
    if (open.ask->must == Must::refuse)
      problems.push_back({"ok", "a refusal: `unsupported` or `invalid`", "`ok`"});
  }
  report_.note(open.ask->what, shown);
  add(open, std::move(problems), line);
}

void Exchange::fall_silent(const Open& open, const std::string& why) {
  over_ = true;
  add(open, {{"", "an answer", excerpt(why, 3 * shown_columns)}}, "");
}

void Exchange::expect_silence(const std::string& what) {
  if (over_) return;
  if (const auto line = connection_.next_line(lull_seconds))
    report_.add({what,
                 {"", "one answer a request", "a line that nobody asked for"},
                 "",
                 excerpt(*line, shown_columns)});
}

void Exchange::add(const Open& open, std::vector<Problem> problems, const std::string& line) {
  for (Problem& problem : problems)
    report_.add({open.ask->what, std::move(problem), excerpt(open.line, shown_columns),
                 excerpt(line, shown_columns)});
}

}  // namespace assay::detail
