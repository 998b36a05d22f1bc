#include "properties/detail/words.h"

#include <fmt/format.h>

namespace assay::words {

static std::string cut(const std::string& text) {
  constexpr std::size_t longest = 40;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string job(const JobFacts& job) { return fmt::format("job {}", cut(job.id)); }

std::string token(const Token& token) {
  return token.empty() ? "an empty token" : fmt::format("token {}", cut(token));
}

std::string op(OpId op) { return fmt::format("step {}", op + 1); }

std::string at(const Moment& moment, Instant instant) {
  Instant start = moment.facts.start();
  if (start == Instant{}) start = moment.now;
  std::int64_t ms = to_ms(instant) - to_ms(start);
  return fmt::format("{}{}.{:03} s", ms < 0 ? "-" : "+", std::abs(ms) / 1000, std::abs(ms) % 1000);
}

std::string state(JobState state) { return std::string(name_of(state)); }

std::string outcome(const Moment& moment) {
  if (moment.ok()) return "accepted";
  const Error& error = moment.end.error;
  std::string text = fmt::format("refused with {}", name_of(error.code));
  if (error.reason != LeaseReason::unstated) text += fmt::format(" ({})", name_of(error.reason));
  return text;
}

std::string phase(const Facts& facts, const JobFacts& job, Instant now) {
  switch (job.phase) {
    case Phase::waiting:
      return job.not_before > now ? "scheduled" : "ready";
    case Phase::leased:
      return facts.lapsed(job, now) ? "leased, its lease over" : "leased";
    case Phase::done:
      return "done";
    case Phase::dead:
      return "dead";
    case Phase::cancelled:
      return "cancelled";
  }
  return "?";
}

}  // namespace assay::words
