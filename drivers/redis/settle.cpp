// Extend and the settles.
#include <charconv>

#include "drivers/redis/detail/session.h"

namespace assay::rds {

Words RedisSession::settling(Op op, Instant now, const Hold& hold) const {
  Words words = begin(op, now, hold.job_id);
  words.add(hold.token).add(hold.attempt);
  return words;
}

Result<Extended> RedisSession::extend(Instant now, const Extend& request) {
  return call<Extended>(request, [&]() -> Result<Extended> {
    Words words = settling(Op::extend, now, request.hold);
    words.add(to_ms(request.lease));
    const auto reply = run(Op::extend, words, request.hold.job_id);
    if (!reply.ok()) return reply.error();
    return Extended{instant_from_ms((*reply)[1].number())};
  });
}

Status RedisSession::ack(Instant now, const Ack& request) {
  return call<Done>(request, [&]() -> Status {
    const auto reply = run(Op::ack, settling(Op::ack, now, request.hold), request.hold.job_id);
    if (!reply.ok()) return reply.error();
    return Done{};
  });
}

void RedisSession::add_settle(Words& words, const Retry& request) {
  words.add(to_ms(request.run_at)).add(request.attempts).add(request.error);
}

void RedisSession::add_settle(Words& words, const Fail& request) {
  words.add(request.attempts).add(request.reason).add(request.error);
}

void RedisSession::add_settle(Words& words, const Nack& request) {
  words.add(request.error).add(request.unrecoverable ? "1" : "0").add(jitter());
}

Status RedisSession::retry(Instant now, const Retry& request) {
  return call<Done>(request, [&]() -> Status {
    Words words = settling(Op::retry, now, request.hold);
    add_settle(words, request);
    const auto reply = run(Op::retry, words, request.hold.job_id);
    if (!reply.ok()) return reply.error();
    return Done{};
  });
}

Status RedisSession::fail(Instant now, const Fail& request) {
  return call<Done>(request, [&]() -> Status {
    Words words = settling(Op::fail, now, request.hold);
    add_settle(words, request);
    const auto reply = run(Op::fail, words, request.hold.job_id);
    if (!reply.ok()) return reply.error();
    return Done{};
  });
}

// "scheduled:1893456000000": the state and, unless it is dead, when it may run again.
Nacked read_nacked(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto state = job_state_from(text.substr(0, colon));
  if (!state) throw Failure{Trouble::garbled, "a nack's answer names no state"};
  Nacked answer{*state, std::nullopt};
  std::int64_t run_at = 0;
  const char* const end = text.data() + text.size();
  if (colon + 1 < text.size() &&
      std::from_chars(text.data() + colon + 1, end, run_at).ec == std::errc())
    answer.run_at = instant_from_ms(run_at);
  return answer;
}

Result<Nacked> RedisSession::nack(Instant now, const Nack& request) {
  return call<Nacked>(request, [&]() -> Result<Nacked> {
    Words words = settling(Op::nack, now, request.hold);
    add_settle(words, request);
    const auto reply = run(Op::nack, words, request.hold.job_id);
    if (!reply.ok()) return reply.error();
    return read_nacked((*reply)[1].text());
  });
}

}  // namespace assay::rds
