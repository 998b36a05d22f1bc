#include "drivers/redis/detail/rows.h"

#include <charconv>

namespace assay::rds {

// As row_of in scripts/job.lua has them, from zero. Of a first claim only the first four are there,
// of any other the first seven.
enum Column : std::size_t {
  id,
  fixed,
  payload,
  lease,
  attempts,
  run_at,
  error,
  state,
  reason,
  buried,
};

static void append(std::string& text, std::int64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// Each part is its length, a colon and its bytes; one that is absent is a hyphen.
static void pack(std::string& text, std::string_view part) {
  append(text, static_cast<std::int64_t>(part.size()));
  text += ':';
  text += part;
}

static void pack_number(std::string& text, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  pack(text, std::string_view(digits, end));
}

// Type, timeout, key and priority: what no script looks into.
static void pack_info(std::string& text, const NewJob& job) {
  pack(text, job.type);
  job.timeout ? pack_number(text, job.timeout->count()) : void(text += '-');
  job.key ? pack(text, *job.key) : void(text += '-');
  pack_number(text, job.priority.value_or(0));
}

std::string pack_fixed(const NewJob& job, const FixedParts& parts) {
  std::string text;
  const auto number = [&](const std::optional<std::int64_t>& value) {
    value ? append(text, *value) : void(text += '-');
    text += ' ';
  };
  constexpr std::size_t usual_numbers = 64;
  text.reserve(usual_numbers + 2 * (job.queue.size() + parts.key.size()) + job.type.size());
  number(parts.attempts);
  text += parts.rank.empty() ? "-" : parts.rank;
  text += ' ';
  number(job.max_attempts);
  number(job.run_at ? std::optional(to_ms(*job.run_at)) : std::nullopt);
  number(static_cast<std::int64_t>(job.queue.size()));
  number(job.key ? std::optional(static_cast<std::int64_t>(parts.key.size())) : std::nullopt);
  text += job.queue;
  text += parts.key;
  pack_info(text, job);
  return text;
}

[[noreturn]] static void damaged() { throw Failure{Trouble::garbled, "a job is damaged"}; }

static std::int64_t number_in(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) damaged();
  return value;
}

static std::string_view first_bytes(std::string_view& text, std::int64_t size) {
  if (size < 0 || static_cast<std::size_t>(size) > text.size()) damaged();
  const std::string_view part = text.substr(0, static_cast<std::size_t>(size));
  text.remove_prefix(part.size());
  return part;
}

// Up to the next space, which goes too.
static std::string_view first_word(std::string_view& text) {
  const std::size_t space = text.find(' ');
  if (space == text.npos) damaged();
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space + 1);
  return word;
}

static std::optional<std::int64_t> first_number(std::string_view& text) {
  const std::string_view word = first_word(text);
  if (word == "-") return std::nullopt;
  return number_in(word);
}

static std::optional<std::string_view> unpack(std::string_view& text) {
  if (text.starts_with('-')) return text.remove_prefix(1), std::nullopt;
  const std::size_t colon = text.find(':');
  if (colon == text.npos) damaged();
  const std::int64_t size = number_in(text.substr(0, colon));
  text.remove_prefix(colon + 1);
  return first_bytes(text, size);
}

static void read_info(Job& job, std::string_view rest) {
  job.type = unpack(rest).value_or("");
  if (const auto timeout = unpack(rest)) job.timeout = Duration{number_in(*timeout)};
  if (const auto given_key = unpack(rest)) job.key = *given_key;
  job.priority = number_in(unpack(rest).value_or("0"));
}

// As it came.
static Job read_fixed(std::string_view rest) {
  constexpr std::int64_t digits_of_number = 16;
  Job job;
  first_bytes(rest, digits_of_number);
  const Instant created = instant_from_ms(first_number(rest).value_or(0));
  job.created_at = created;
  job.attempts = first_number(rest).value_or(0);
  first_word(rest);
  job.max_attempts = first_number(rest);
  const auto given = first_number(rest);
  job.run_at = given ? instant_from_ms(*given) : created;
  const auto queue_size = first_number(rest);
  const auto key_size = first_number(rest);
  job.queue = first_bytes(rest, queue_size.value_or(0));
  first_bytes(rest, key_size.value_or(0));
  read_info(job, rest);
  return job;
}

static Job read_job(const Value& row) {
  Job job = read_fixed(row[fixed].text());
  job.id = row[id].text();
  job.payload = row[payload].text();
  if (row.size() <= error) return job;
  if (const auto changed = row[attempts].maybe_number()) job.attempts = *changed;
  if (const auto changed = row[run_at].maybe_number()) job.run_at = instant_from_ms(*changed);
  job.last_error = row[error].maybe_text();
  return job;
}

struct RowLease {
  std::string_view token;
  std::int64_t fence;
  std::int64_t version;
  Instant expires_at;
  std::string_view worker;
};

static RowLease read_lease(const Value& row) {
  std::string_view rest = row[lease].text();
  first_word(rest);
  RowLease found{};
  found.token = first_word(rest);
  found.expires_at = instant_from_ms(number_in(first_word(rest)));
  found.fence = number_in(first_word(rest));
  found.version = number_in(first_word(rest));
  const std::int64_t size = number_in(first_word(rest));
  found.worker = first_bytes(rest, size);
  return found;
}

ClaimRow read_claim(const Value& row) {
  const RowLease found = read_lease(row);
  ClaimRow claim{read_job(row), Token(found.token), found.fence, found.version, found.expires_at};
  claim.job.state = JobState::leased;
  return claim;
}

JobView read_view(const Value& row) {
  JobView view;
  view.job = read_job(row);
  const auto shown = job_state_from(row[state].text());
  if (!shown) damaged();
  view.job.state = *shown;
  if (*shown == JobState::leased) {
    const RowLease found = read_lease(row);
    view.lease = LeaseView{Token(found.token), found.expires_at, std::nullopt};
    if (!found.worker.empty()) view.lease->worker = found.worker;
  }
  if (*shown == JobState::dead)
    view.dead = DeadView{std::string(row[reason].text()), row[error].maybe_text(),
                         instant_from_ms(row[buried].number())};
  return view;
}

}  // namespace assay::rds
