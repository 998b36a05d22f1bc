#include "harness/cli/queue/shown.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "harness/contract/detail/json_writer.h"
#include "reports/text.h"

namespace assay::cli::queue {

using assay::detail::JsonObject;

std::string clock_text(Instant at) {
  const std::int64_t ms = to_ms(at);
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  return fmt::format("{:%F %T}.{:03}Z", fmt::gmtime(seconds), ms % 1000);
}

std::string away_text(Duration from_now) {
  const double seconds = static_cast<double>(std::abs(from_now.count())) / 1000;
  std::string length = text::duration_text(seconds);
  if (seconds >= 2 * 86'400)
    length = fmt::format("{:.0f} days", seconds / 86'400);
  else if (seconds >= 2 * 3600)
    length = fmt::format("{:.0f} h", seconds / 3600);
  return from_now > Duration{0} ? "in " + length : length + " ago";
}

std::string when_text(Instant at, Instant now) {
  return fmt::format("{} ({})", clock_text(at), away_text(at - now));
}

Result<Instant> instant_from(std::string_view text) {
  const Error wrong = invalid(fmt::format(
      "`{}` is no time: write it as 2026-11-18T12:00:03Z, in UTC", text::cut(text, 80)));
  // year-month-dayThour:minute:secondZ
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != shape.size()) return wrong;
  std::array<int, 6> numbers{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == 'd' ? !is_digit : text[i] != shape[i]) return wrong;
    if (shape[i] == 'd')
      numbers[at] = numbers[at] * 10 + (text[i] - '0');
    else
      ++at;
  }
  const std::chrono::year_month_day day{std::chrono::year(numbers[0]),
                                        std::chrono::month(static_cast<unsigned>(numbers[1])),
                                        std::chrono::day(static_cast<unsigned>(numbers[2]))};
  if (!day.ok() || numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 59) return wrong;
  return Instant(std::chrono::sys_days(day)) + std::chrono::hours(numbers[3]) +
         std::chrono::minutes(numbers[4]) + std::chrono::seconds(numbers[5]);
}

std::string brief(std::string_view bytes, std::size_t width) {
  std::string line = text::printable(bytes.substr(0, 4 * width));
  for (char& c : line)
    if (c == '\n') c = ' ';
  return text::cut(line, width);
}

namespace {

void write(JsonObject& object, const Job& job) {
  object.text("id", job.id);
  object.text("queue", job.queue);
  object.text("type", job.type);
  object.text("state", std::string_view(name_of(job.state)));
  object.text("payload", job.payload);
  object.number("attempts", job.attempts);
  object.number("max_attempts", job.max_attempts);
  object.instant("run_at_ms", job.run_at);
  object.duration("timeout_ms", job.timeout);
  object.text("key", job.key);
  object.number("priority", job.priority);
  object.instant("created_at_ms", job.created_at);
  object.text("last_error", job.last_error);
}

}  // namespace

std::string job_json(const Job& job) {
  std::string out;
  JsonObject object(out);
  write(object, job);
  object.end();
  return out;
}

std::string view_json(const JobView& view) {
  std::string out;
  JsonObject object(out);
  write(object, view.job);
  if (view.lease) {
    JsonObject lease(object.member("lease"));
    lease.text("worker", view.lease->worker);
    lease.text("token", view.lease->token);
    lease.instant("expires_at_ms", view.lease->expires_at);
    lease.end();
  }
  if (view.dead) {
    JsonObject dead(object.member("dead"));
    dead.text("reason", view.dead->reason);
    dead.text("error", view.dead->error);
    dead.instant("at_ms", view.dead->at);
    dead.end();
  }
  object.end();
  return out;
}

std::string dead_json(const DeadEntry& entry) {
  std::string out;
  JsonObject object(out);
  write(object, entry.job);
  object.text("reason", entry.reason);
  object.text("error", entry.error);
  object.instant("dead_at_ms", entry.at);
  object.end();
  return out;
}

std::string stats_json(const std::string& queue, const engine::QueueStats& stats) {
  std::string out;
  JsonObject object(out);
  object.text("queue", queue);
  for (const JobState state : {JobState::scheduled, JobState::ready, JobState::leased,
                               JobState::done, JobState::dead, JobState::cancelled})
    object.number(name_of(state), stats.of(state));
  object.instant("oldest_ready_ms", stats.oldest_ready);
  object.instant("next_scheduled_ms", stats.next_scheduled);
  object.end();
  return out;
}

std::string array_json(const std::vector<std::string>& objects) {
  if (objects.empty()) return "[]\n";
  return "[\n" + text::joined(objects, ",\n") + "\n]\n";
}

}  // namespace assay::cli::queue
