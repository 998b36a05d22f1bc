#include "drivers/redis/detail/rows.h"

#include <charconv>

namespace assay::rds {

// As scripts/job.lua numbers them, from zero.
enum Column : std::size_t {
  state,
  queue,
  seq,
  rank,
  created,
  run_at,
  attempts,
  limit,
  losses,
  retrying,
  token,
  fence,
  version,
  expires,
  settle,
  key,
  answer,
  info,
  given,
  payload,
  error,
  worker,
  reason,
  buried,
  id,
};

// Each part is its length, a colon and its bytes; one that is absent is a hyphen.
static void pack(std::string& text, const std::optional<std::string>& part) {
  text += part ? std::to_string(part->size()) + ":" + *part : "-";
}

std::string pack_info(const NewJob& job) {
  std::string text;
  pack(text, job.type);
  pack(text, job.timeout ? std::optional(std::to_string(job.timeout->count())) : std::nullopt);
  pack(text, job.key);
  pack(text, std::to_string(job.priority.value_or(0)));
  return text;
}

[[noreturn]] static void damaged() { throw Failure{Trouble::garbled, "a job is damaged"}; }

static std::optional<std::string_view> unpack(std::string_view& text) {
  if (text.starts_with('-')) return text.remove_prefix(1), std::nullopt;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') damaged();
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  if (size > text.size()) damaged();
  const std::string_view part = text.substr(0, size);
  text.remove_prefix(size);
  return part;
}

static std::int64_t number_in(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) damaged();
  return value;
}

Job read_job(const Value& row) {
  Job job;
  job.id = row[id].text();
  job.queue = row[queue].text();
  std::string_view rest = row[info].text();
  job.type = unpack(rest).value_or("");
  if (const auto timeout = unpack(rest)) job.timeout = Duration{number_in(*timeout)};
  if (const auto given_key = unpack(rest)) job.key = *given_key;
  job.priority = number_in(unpack(rest).value_or("0"));
  job.payload = row[payload].text();
  job.run_at = instant_from_ms(row[run_at].number());
  job.max_attempts = row[limit].maybe_number();
  job.attempts = row[attempts].number();
  job.last_error = row[error].maybe_text();
  job.created_at = instant_from_ms(row[created].number());
  const auto shown = job_state_from(row[state].text());
  if (!shown) damaged();
  job.state = *shown;
  return job;
}

RowLease read_lease(const Value& row) {
  return {std::string(row[token].text()), row[fence].number(), row[version].number(),
          instant_from_ms(row[expires].number())};
}

JobView read_view(const Value& row) {
  JobView view;
  view.job = read_job(row);
  if (view.job.state == JobState::leased) {
    const RowLease lease = read_lease(row);
    view.lease = LeaseView{lease.token, lease.expires_at, row[worker].maybe_text()};
    if (view.lease->worker == "") view.lease->worker.reset();
  }
  if (view.job.state == JobState::dead)
    view.dead = DeadView{std::string(row[reason].text()), row[error].maybe_text(),
                         instant_from_ms(row[buried].number())};
  return view;
}

}  // namespace assay::rds
