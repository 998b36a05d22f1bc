#include "harness/judge/detail/packed_job.h"

#include <algorithm>
#include <type_traits>

namespace assay {
namespace {

// Numbers in groups of seven bits, the smaller the shorter.
void put(char*& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
}

std::uint64_t get(const char*& at) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

// Small numbers stay small, negative ones too.
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Instants are told by their distance from the last one, which is the least that they have in
// common; no time at all has a sign of its own.
struct Packer {
  char* out;
  std::int64_t last = 0;

  void number(std::uint64_t value) { put(out, value); }
  void number(std::int64_t value) { put(out, folded(value)); }
  void flag(bool value) { *out++ = value ? '\1' : '\0'; }
  void text(const std::string& value) {
    put(out, value.size());
    out = std::ranges::copy(value, out).out;
  }
  void instant(Instant value) {
    const std::int64_t ms = to_ms(value);
    if (ms == 0) return put(out, 0);
    put(out, folded(ms - last) + 1);
    last = ms;
  }
  // As a text that was packed before, where it is the same.
  void again(const std::string& value, const std::string& before) {
    flag(value == before);
    if (value != before) text(value);
  }
  template <class T>
  bool there(const std::optional<T>& value) {
    flag(value.has_value());
    return value.has_value();
  }
  template <class T>
  std::size_t size(const std::vector<T>& values) {
    put(out, values.size());
    return values.size();
  }
  template <class... Flags>
  void flags(const Flags&... all) {
    std::uint64_t bits = 0;
    ((bits = bits << 1 | (all ? 1U : 0U)), ...);
    put(out, bits);
  }
};

struct Unpacker {
  const char* at;
  std::int64_t last = 0;

  void number(std::uint64_t& value) { value = get(at); }
  void number(std::int64_t& value) { value = unfolded(get(at)); }
  void flag(bool& value) { value = *at++ != '\0'; }
  void text(std::string& value) {
    const std::size_t size = get(at);
    value.assign(at, size);
    at += size;
  }
  void instant(Instant& value) {
    const std::uint64_t told = get(at);
    if (told > 0) last += unfolded(told - 1);
    value = instant_from_ms(told == 0 ? 0 : last);
  }
  void again(std::string& value, const std::string& before) {
    bool same = false;
    flag(same);
    if (same)
      value = before;
    else
      text(value);
  }
  template <class T>
  bool there(std::optional<T>& value) {
    bool given = false;
    flag(given);
    if (!given)
      value.reset();
    else if (!value)
      value.emplace();
    return given;
  }
  template <class T>
  std::size_t size(std::vector<T>& values) {
    values.resize(get(at));
    return values.size();
  }
  template <class... Flags>
  void flags(Flags&... all) {
    const std::uint64_t bits = get(at);
    std::size_t left = sizeof...(all);
    ((all = (bits >> --left & 1) != 0), ...);
  }
};

// The fields, each named once for both ways.
template <class Way>
struct Fields {
  Way way;

  template <class T>
  void operator()(T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, bool>) {
      way.flag(value);
    } else if constexpr (std::is_enum_v<Plain> || std::is_integral_v<Plain>) {
      using Wide = std::conditional_t<std::is_signed_v<Plain>, std::int64_t, std::uint64_t>;
      auto number = static_cast<Wide>(value);
      way.number(number);
      if constexpr (!std::is_const_v<T>) value = static_cast<Plain>(number);
    } else if constexpr (std::is_same_v<Plain, std::string>) {
      way.text(value);
    } else if constexpr (std::is_same_v<Plain, Instant>) {
      way.instant(value);
    } else if constexpr (std::is_same_v<Plain, Duration>) {
      std::int64_t number = value.count();
      way.number(number);
      if constexpr (!std::is_const_v<T>) value = Duration{number};
    } else if constexpr (requires { value.has_value(); }) {
      if (way.there(value)) (*this)(*value);
    } else if constexpr (requires { value.lo; }) {
      (*this)(value.lo), (*this)(value.hi);
    } else {
      way.size(value);
      for (auto& each : value) (*this)(each);
    }
  }
  template <class First, class Second, class... More>
  void operator()(First& first, Second& second, More&... more) {
    (*this)(first), (*this)(second);
    ((*this)(more), ...);
  }

  template <class Job>
  void given(Job& job) {
    auto& given = job.given;
    if (way.there(given.id)) way.again(*given.id, job.id);
    (*this)(given.queue, given.type, given.payload, given.run_at, given.max_attempts, given.timeout,
            given.key, given.priority, given.attempts);
  }

  template <class Job>
  void claims(Job& job) {
    way.size(job.claims);
    for (auto& claim : job.claims) {
      (*this)(claim.op, claim.client, claim.token, claim.attempt, claim.version, claim.worker,
              claim.claimed_at, claim.first_expiry, claim.expires_at, claim.extensions,
              claim.ended);
      way.flags(claim.reclaimed, claim.guessed, claim.lost);
    }
  }

  template <class Job>
  void settled(Job& job) {
    if (!way.there(job.settled)) return;
    static const std::string none;
    (*this)(job.settled->op, job.settled->kind);
    way.again(job.settled->token, job.claims.empty() ? none : job.claims.back().token);
  }

  template <class Job>
  void job(Job& job) {
    (*this)(job.id, job.index, job.born, job.born_began, job.born_ended, job.touched);
    (*this)(job.created);
    given(job);
    (*this)(job.phase, job.changed_by, job.changed_at, job.cause);
    (*this)(job.not_before, job.surely_from, job.run_at);
    claims(job);
    settled(job);
    (*this)(job.counter, job.losses, job.last_error, job.reason, job.error, job.died);
    (*this)(job.refused, job.repeated);
    way.flags(job.delayed, job.recorded, job.seen, job.paused_at_birth, job.resumed,
              job.cancelled_waiting, job.replayed, job.replay_refused, job.counter_reset, job.gone,
              job.spoiled);
  }
};

}  // namespace

// No number takes more than ten bytes.
static std::size_t size_at_most(const JobFacts& job) {
  constexpr std::size_t of_job = 500, of_claim = 150, of_number = 10;
  std::size_t size = of_job + job.id.size() + job.given.queue.size() + job.given.type.size() +
                     job.given.payload.size() +
                     (job.refused.size() + job.repeated.size()) * of_number;
  for (const auto* text : {&job.given.id, &job.given.key, &job.last_error, &job.reason, &job.error})
    size += *text ? (*text)->size() : 0;
  if (job.settled) size += job.settled->token.size();
  for (const ClaimFact& claim : job.claims)
    size += of_claim + claim.token.size() + claim.worker.size();
  return size;
}

std::size_t pack(const JobFacts& job, std::vector<char>& out) {
  if (const std::size_t most = size_at_most(job); out.size() < most) out.resize(most);
  Fields<Packer> fields{{out.data()}};
  fields.job(job);
  return static_cast<std::size_t>(fields.way.out - out.data());
}

void unpack(const char* packed, JobFacts& to) { Fields<Unpacker>{{packed}}.job(to); }

std::string_view id_in(const char* packed) {
  const std::size_t size = get(packed);
  return {packed, size};
}

}  // namespace assay
