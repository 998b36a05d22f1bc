#include "harness/remote/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/contract/base64.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/detail/exchange.h"
#include "harness/remote/schema.h"

namespace assay {

static Trial& trial_of(CheckReport& report, const std::string& what) {
  const auto found = std::ranges::find(report.trials, what, &Trial::what);
  return found != report.trials.end() ? *found : report.trials.emplace_back(Trial{what, ""});
}

void CheckReport::note(const std::string& what, const std::string& answer) {
  if (Trial& trial = trial_of(*this, what); trial.answer.empty()) trial.answer = answer;
}

void CheckReport::add(CheckProblem problem) {
  for (const CheckProblem& known : problems)
    if (known.what == problem.what && known.problem.path == problem.problem.path &&
        known.problem.expected == problem.problem.expected)
      return;
  trial_of(*this, problem.what).problems.push_back(problems.size());
  problems.push_back(std::move(problem));
}

namespace {

using detail::Ask;
using detail::Must;
using detail::Ok;
using Fields = nlohmann::ordered_json;

constexpr const char* no_job = "no-such-job";

Fields with(Fields fields, const Fields& more) { return fields.update(more), fields; }

Fields plain_job() {
  return {
      {"queue", "check"}, {"type", "check"}, {"payload", base64(std::string_view("a\0\xff", 3))}};
}

class Conversation {
 public:
  Conversation(detail::Exchange& exchange, CheckReport& report, std::optional<std::string> url)
      : exchange_(exchange), report_(report), url_(std::move(url)) {}

  void hold() {
    if (!greet() || !set_up("a", "setup")) return;
    using Part = void (Conversation::*)();
    for (const Part part :
         {&Conversation::tell_time, &Conversation::enqueue, &Conversation::settle,
          &Conversation::administer, &Conversation::be_odd, &Conversation::speak_together,
          &Conversation::close, &Conversation::begin_again})
      if (!exchange_.over()) (this->*part)();
  }

 private:
  Ok ask(std::string what, Fields fields, Must must = Must::answer) {
    return exchange_.ask({Ask{std::move(what), std::move(fields), must}}).front();
  }

  // An operation of a session. It is also what the trial is called, unless told otherwise.
  Ok operate(const char* session, const char* op, const Fields& fields, Must must = Must::answer,
             const char* what = nullptr) {
    return ask(what ? what : op, with(head(session, op), fields), must);
  }
  Fields head(const char* session, const char* op) const {
    return {{"op", op}, {"session", session}, {"now_ms", now_ms_}};
  }

  Must claimed(std::string_view capability) const {
    return profile_.has(capability) ? Must::exist : Must::answer;
  }

  bool greet() {
    const Ok ok = ask("hello", {{"op", "hello"}, {"protocol", protocol::version}}, Must::succeed);
    if (ok.is_null()) return false;
    profile_ = profile_from_json(ok.at("profile").dump()).value();
    for (const char* name : {"name", "version"})
      if (const auto found = ok.find(name); found != ok.end() && found->is_string())
        report_.driver += protocol::excerpt(found->get<std::string>()) + " ";
    if (report_.driver.empty()) report_.driver = "a driver without a name ";
    report_.driver.back() = ',';
    report_.driver += " profile " + title(profile_);
    return true;
  }

  bool set_up(std::string_view suffix, const char* what) {
    namespace_ = fmt::format("assay_check_{}_{}", ::getpid(), suffix);
    Fields setup{{"op", "setup"}, {"namespace", namespace_}, {"url", nullptr}};
    if (url_) setup["url"] = *url_;
    setup["options"] = {{"create", true}, {"seed", 1}};
    return !ask(what, setup, Must::succeed).is_null() && open("p1", "producer");
  }

  bool open(const char* session, const char* role) {
    const Fields fields{{"op", "open"}, {"session", session}, {"role", role}};
    return !ask(fmt::format("open {} {}", *role == 'a' ? "an" : "a", role), fields, Must::succeed)
                .is_null();
  }

  void tell_time() {
    open("w1", "worker");
    open("a1", "admin");
    const Must must = claimed("virtual_time");
    hear_time(ask("now", {{"op", "now"}}, must));
    if (profile_.has("virtual_time"))
      hear_time(ask("advance", {{"op", "advance"}, {"by_ms", 1000}}, must));
    else
      report_.note("advance", "not tried: `virtual_time` is not claimed");
  }
  void hear_time(const Ok& ok) {
    if (!ok.is_null() && profile_.clock != ClockKnob::caller) now_ms_ = ok.at("now_ms");
  }

  // The new job's id; a made-up one where there is none.
  std::string enqueued(const Fields& job, Must must = Must::exist, const char* what = "enqueue") {
    const Ok ok = operate("p1", "enqueue", {{"job", job}}, must, what);
    return ok.is_null() ? no_job : ok.at("id").get<std::string>();
  }

  void enqueue() {
    enqueued(plain_job());
    const Fields all{{"id", "check-job"},        {"run_at_ms", now_ms_ + 1000}, {"max_attempts", 3},
                     {"timeout_ms", 60000},      {"key", "check-key"},          {"priority", 1},
                     {"attempts", first_count()}};
    enqueued(with(plain_job(), all), Must::answer, "enqueue with every field");
    Fields nulls = plain_job();
    for (const auto& [name, value] : all.items()) nulls[name] = nullptr;
    enqueued(nulls, Must::exist, "enqueue with nulls");
    const Fields nameless = with(plain_job(), {{"queue", ""}});
    enqueued(nameless, Must::answer, "enqueue to a queue without a name");
  }

  std::int64_t first_count() const { return profile_.counter == Counter::attempt_no ? 1 : 0; }

  static Fields made_up_hold(const std::string& job_id) {
    return {{"job_id", job_id}, {"token", "made-up"}};
  }

  Fields reserve_fields(const std::string& job_id) const {
    Fields fields{{"queues", {"check"}}, {"lease_ms", 30000}, {"worker", "w1"}, {"max", 1}};
    if (profile_.claim_style == ClaimStyle::by_id) fields["job_id"] = job_id;
    return fields;
  }

  // Of a new job: what a settle must carry; a made-up token where nothing was handed out.
  Fields claimed_hold() {
    const std::string id = enqueued(plain_job());
    const Ok ok = operate("w1", "reserve", reserve_fields(id), Must::exist);
    if (ok.is_null() || ok.at("claims").empty()) return made_up_hold(id);
    const nlohmann::json& claim = ok.at("claims").front();
    Fields hold{{"job_id", claim.at("job").at("id")}, {"token", claim.at("token")}};
    if (const auto attempt = claim.find("attempt"); attempt != claim.end() && !attempt->is_null())
      hold["attempt"] = *attempt;
    return hold;
  }

  void settle() {
    const Fields hold = claimed_hold();
    operate("w1", "extend", with(hold, {{"lease_ms", 60000}}), Must::exist);
    operate("w1", "ack", hold, Must::exist);
    operate("w1", "ack", made_up_hold(no_job), Must::answer, "ack with a made-up token");
    const bool engine = profile_.decider == Decider::engine;
    const Must by_engine = engine ? Must::exist : Must::answer;
    const Must by_store = engine ? Must::answer : Must::exist;
    const Fields again{
        {"run_at_ms", now_ms_ + 1000}, {"attempts", first_count() + 1}, {"error", "it broke"}};
    operate("w1", "retry", with(claimed_hold(), again), by_engine);
    const Fields never{
        {"attempts", first_count() + 1}, {"reason", "broken"}, {"error", "it broke"}};
    const Fields failed = claimed_hold();
    operate("w1", "fail", with(failed, never), by_engine);
    operate("w1", "nack", with(claimed_hold(), {{"error", "it broke"}, {"unrecoverable", false}}),
            by_store);
    const Fields nacked = claimed_hold();
    operate("w1", "nack", with(nacked, {{"error", "it broke"}, {"unrecoverable", true}}), by_store,
            "nack for good");
    dead_job_ = (engine ? failed : nacked).at("job_id");
  }

  void administer() {
    const Fields queue{{"queue", "check"}};
    operate("a1", "pause", queue, claimed("pause"));
    operate("a1", "resume", queue, claimed("pause"));
    const std::string id = enqueued(plain_job());
    const Must inspect = claimed("inspect");
    operate("a1", "get", {{"job_id", id}}, inspect);
    operate("a1", "get", {{"job_id", claimed_hold().at("job_id")}}, inspect, "get of a leased job");
    operate("a1", "get", {{"job_id", dead_job_}}, inspect, "get of a dead job");
    operate("a1", "get", {{"job_id", no_job}}, inspect, "get of a job that is not there");
    operate("a1", "cancel", {{"job_id", id}}, claimed("cancel"));
    const Must paged = claimed("list_paged");
    const Fields page{{"queue", "check"}, {"limit", 2}};
    next_page(page, operate("a1", "list", page, paged));
    const Fields ready{{"queue", "check"}, {"state", "ready"}, {"limit", 100}};
    operate("a1", "list", ready, paged, "list of one state");
    operate("a1", "dead", {{"queue", "check"}, {"limit", 100}}, claimed("dlq_ops"));
    operate("a1", "requeue", {{"job_id", dead_job_}, {"reset_attempts", true}},
            profile_.replay == Replay::none ? Must::answer : claimed("dlq_ops"));
  }

  void next_page(Fields page, const Ok& before) {
    const auto cursor = before.is_null() ? before.end() : before.find("cursor");
    if (cursor == before.end() || cursor->is_null()) return;
    page["cursor"] = *cursor;
    operate("a1", "list", page, Must::answer, "list of the next page");
  }

  void be_odd() {
    ask("an operation that nobody knows", head("w1", "assay_check_unknown"), Must::refuse);
    const bool takes_jobs = trial_of(report_, "enqueue").answer == "ok";
    const Fields extra{{"assay_check_extra", {{"deep", {1.5, nullptr}}}}};
    operate("p1", "enqueue", with({{"job", with(plain_job(), extra)}}, extra),
            takes_jobs ? Must::succeed : Must::answer, "fields that nobody knows");
  }

  void speak_together() {
    const char* what = "two sessions at once";
    exchange_.ask({{what, with(head("p1", "enqueue"), {{"job", plain_job()}})},
                   {what, with(head("w1", "reserve"), reserve_fields(no_job))}});
  }

  void close() {
    for (const char* session : {"p1", "w1", "a1"})
      ask("close", {{"op", "close"}, {"session", session}}, Must::succeed);
    ask("close again", {{"op", "close"}, {"session", "w1"}}, Must::succeed);
    ask("teardown", {{"op", "teardown"}, {"namespace", namespace_}}, Must::succeed);
  }

  void begin_again() {
    if (!set_up("b", "setup of another namespace")) return;
    enqueued(plain_job(), Must::exist, "enqueue there");
    ask("close", {{"op", "close"}, {"session", "p1"}}, Must::succeed);
    ask("teardown", {{"op", "teardown"}, {"namespace", namespace_}}, Must::succeed);
  }

  detail::Exchange& exchange_;
  CheckReport& report_;
  std::optional<std::string> url_;
  Profile profile_;
  std::string namespace_;
  std::string dead_job_ = no_job;
  std::int64_t now_ms_ = to_ms(run_epoch);
};

void end(Connection& connection, double seconds, CheckReport& report) {
  const char* what = "end of input";
  const auto trouble = connection.end_input(seconds);
  const std::string ending = connection.process()->ending().value_or("is still there");
  if (trouble)
    report.add({what, {"", "that the process ends by itself", *trouble}});
  else if (ending != "ended with status 0")
    report.add({what, {"", "that the process ends with status 0", "it " + ending}});
  else
    report.note(what, "ok");
}

}  // namespace

CheckReport check_driver(CheckOptions options) {
  CheckReport report;
  options.connection.raw = true;
  auto connection = Connection::open(options.to, options.connection);
  if (!connection) {
    report.add({"start", {"", "a driver", protocol::excerpt(connection.error().message, 300)}});
    return report;
  }
  detail::Exchange exchange(**connection, report, options.connection);
  Conversation(exchange, report, options.url).hold();
  exchange.expect_silence("end of input");
  if ((*connection)->process() && !exchange.over())
    end(**connection, options.farewell_seconds, report);
  report.log = (*connection)->last_log_lines();
  return report;
}

}  // namespace assay
