#include "harness/judge/detail/packed_job.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>

#include "harness/judge/text_hash.h"

namespace assay {
namespace {

// Small numbers take one byte. Before all others stands how many bytes they take.
constexpr std::uint64_t small_below = 0xf0;

// The lowest first. Written out one by one, they are one instruction.
template <std::size_t... I>
void put_eight(char* out, std::uint64_t value, std::index_sequence<I...>) {
  ((out[I] = static_cast<char>(static_cast<unsigned char>(value >> 8 * I))), ...);
}

inline void put(char*& out, std::uint64_t value) {
  if (value < small_below) {
    *out++ = static_cast<char>(value);
    return;
  }
  const auto bytes = (static_cast<std::size_t>(std::bit_width(value)) + 7) / 8;
  *out++ = static_cast<char>(small_below + bytes);
  // Whatever follows is written over what is too much.
  put_eight(out, value, std::make_index_sequence<8>());
  out += bytes;
}

std::uint64_t get(const char*& at) {
  const auto first = static_cast<unsigned char>(*at++);
  if (first < small_below) return first;
  std::uint64_t value = 0;
  const std::size_t bytes = first - small_below;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
  at += bytes;
  return value;
}

// Small numbers stay small, negative ones too.
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Most fields of most jobs are as in a new one.
template <std::integral Number>
bool is_said(Number value) {
  return value != 0;
}
bool is_said(Instant value) { return value != Instant{}; }
template <class T>
bool is_said(const Range<T>& value) {
  return is_said(value.lo) || is_said(value.hi);
}
template <class T>
bool is_said(const std::optional<T>& value) {
  return value.has_value();
}
template <class T>
requires requires(const T& list) { list.empty(); }
bool is_said(const T& list) { return !list.empty(); }

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
    copy_text(out, value);
    out += value.size();
  }
  void instant(Instant value) {
    const std::int64_t ms = to_ms(value);
    if (ms == 0) return put(out, 0);
    put(out, folded(ms - last) + 1);
    last = ms;
  }
  // As a text that was packed before, where it is the same.
  void again(const std::string& value, const std::string& before) {
    const bool same = same_text(value, before);
    flag(same);
    if (!same) text(value);
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
  // Which of them say anything, a bit each.
  template <class... Values>
  std::uint64_t said(const Values&... all) {
    std::uint64_t bits = 0;
    ((bits = bits << 1 | (is_said(all) ? 1U : 0U)), ...);
    put(out, bits);
    return bits;
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
  template <class... Values>
  std::uint64_t said(Values&...) {
    return get(at);
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

  // Those that are often as in a new job: nothing but a bit is kept of them then. That bit is all
  // that a flag is.
  template <class... Values>
  void seldom(Values&... all) {
    const std::uint64_t bits = way.said(all...);
    std::size_t left = sizeof...(all);
    (one_of_few(all, (bits >> --left & 1) != 0), ...);
  }
  template <class T>
  void one_of_few(T& value, bool said) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, bool>) {
      if constexpr (!std::is_const_v<T>) value = said;
    } else if (said) {
      if constexpr (requires { value.has_value(); })
        present(value);
      else
        (*this)(value);
    } else if constexpr (!std::is_const_v<T>) {
      value = Plain{};
    }
  }
  template <class T>
  void present(T& value) {
    if constexpr (!std::is_const_v<T>)
      if (!value) value.emplace();
    (*this)(*value);
  }

  template <class Job>
  void given(Job& job) {
    auto& given = job.given;
    if (way.there(given.id)) way.again(*given.id, job.id);
    (*this)(given.queue, given.type);
    seldom(given.payload, given.run_at, given.max_attempts, given.timeout, given.key,
           given.priority, given.attempts);
  }

  template <class Job>
  void claims(Job& job) {
    way.size(job.claims);
    for (auto& claim : job.claims) {
      (*this)(claim.op, claim.client, claim.token, claim.worker, claim.claimed_at,
              claim.first_expiry, claim.expires_at, claim.ended);
      seldom(claim.extensions, claim.attempt, claim.version, claim.reclaimed, claim.guessed,
             claim.lost);
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
    (*this)(job.not_before, job.surely_from);
    claims(job);
    settled(job);
    seldom(job.run_at, job.losses, job.last_error, job.reason, job.error, job.died, job.refused,
           job.repeated, job.recorded, job.paused_at_birth, job.resumed, job.cancelled_waiting,
           job.replayed, job.replay_refused, job.counter_reset, job.gone, job.spoiled, job.counter,
           job.seen, job.delayed);
  }
};

}  // namespace

// No number takes more than ten bytes, with what is written beyond its end.
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

std::size_t unpack(const char* packed, JobFacts& to) {
  Fields<Unpacker> fields{{packed}};
  fields.job(to);
  return static_cast<std::size_t>(fields.way.at - packed);
}

std::string_view id_in(const char* packed) {
  const std::size_t size = get(packed);
  return {packed, size};
}

}  // namespace assay
