// Error: why a call was not carried out, as the world answers it: a code for programs, a text for
// people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

enum class ErrorCode {
  invalid,        // bad argument: empty queue, type or id, negative number, lease of zero or less
  not_found,      // no such job
  lease_lost,     // token not current, or lease over; the reason says which
  duplicate_key,  // the idempotency key is active
  duplicate_id,   // a job of that id exists
  conflict,       // refused because of the job's state
  unsupported,    // the driver does not have this operation
  closed,         // session or driver closed
  unavailable,    // the store could not be reached, or gave no answer
  internal,       // anything else
};

enum class LeaseReason { unstated, not_held, expired, mismatch };

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message = {};
  LeaseReason reason = LeaseReason::unstated;
  std::optional<bool> definite = std::nullopt;  // unset: as the code says

  bool operator==(const Error&) const = default;
};

// Whether the call certainly had no effect. The one place where that is decided.
bool is_definite(const Error& error);

std::string_view name_of(ErrorCode code);
std::string_view name_of(LeaseReason reason);
std::optional<ErrorCode> error_code_from(std::string_view name);
std::optional<LeaseReason> lease_reason_from(std::string_view name);

// Short forms for the refusals that drivers give.
Error invalid(std::string message);
Error not_found(std::string message);
Error lease_lost(LeaseReason reason, std::string message);
Error conflict(std::string message);
Error unsupported(std::string message);

}  // namespace assay
