// Many new jobs as parameters: one array for each of the columns that `many_parameters` names.
#pragma once

#include "drivers/postgres/detail/arrays.h"
#include "drivers/postgres/detail/session.h"

namespace assay::pg {

inline std::optional<std::int64_t> run_at_of(const NewJob& job) {
  return job.run_at ? std::optional(to_ms(*job.run_at)) : std::nullopt;
}
inline std::optional<std::int64_t> timeout_of(const NewJob& job) {
  return job.timeout ? std::optional(to_ms(*job.timeout)) : std::nullopt;
}

template <class Ask>
auto PostgresSession::with_all(const std::vector<const NewJob*>& jobs, Ask ask) const {
  const bool ranks = shared_.profile.has("priority");
  const auto bytes = [&](auto of) { return array_of_bytes(jobs, of); };
  const auto numbers = [&](auto of) { return array_of_numbers(jobs, of); };
  return ask(bytes([](const NewJob& job) { return job.id; }),
             bytes([](const NewJob& job) { return std::optional(job.queue); }),
             bytes([](const NewJob& job) { return std::optional(job.type); }),
             bytes([](const NewJob& job) { return std::optional(job.payload); }),
             numbers(run_at_of), numbers([](const NewJob& job) { return job.max_attempts; }),
             numbers(timeout_of), bytes([](const NewJob& job) { return job.key; }),
             numbers([](const NewJob& job) { return std::optional(job.priority.value_or(0)); }),
             numbers([&](const NewJob& job) {
               return std::optional(ranks ? job.priority.value_or(0) : 0);
             }),
             numbers([&](const NewJob& job) {
               return std::optional(job.attempts.value_or(first_attempts()));
             }));
}

}  // namespace assay::pg
