#include "harness/contract/error.h"

#include <array>
#include <utility>

namespace assay {

static constexpr std::array<std::pair<ErrorCode, std::string_view>, 10> code_names{{
    {ErrorCode::invalid, "invalid"},
    {ErrorCode::not_found, "not_found"},
    {ErrorCode::lease_lost, "lease_lost"},
    {ErrorCode::duplicate_key, "duplicate_key"},
    {ErrorCode::duplicate_id, "duplicate_id"},
    {ErrorCode::conflict, "conflict"},
    {ErrorCode::unsupported, "unsupported"},
    {ErrorCode::closed, "closed"},
    {ErrorCode::unavailable, "unavailable"},
    {ErrorCode::internal, "internal"},
}};

static constexpr std::array<std::pair<LeaseReason, std::string_view>, 4> reason_names{{
    {LeaseReason::unstated, "unstated"},
    {LeaseReason::not_held, "not_held"},
    {LeaseReason::expired, "expired"},
    {LeaseReason::mismatch, "mismatch"},
}};

bool is_definite(const Error& error) {
  return error.definite.value_or(error.code != ErrorCode::unavailable &&
                                 error.code != ErrorCode::internal);
}

std::string_view name_of(ErrorCode code) {
  return code_names[static_cast<std::size_t>(code)].second;
}
std::string_view name_of(LeaseReason reason) {
  return reason_names[static_cast<std::size_t>(reason)].second;
}

std::optional<ErrorCode> error_code_from(std::string_view name) {
  for (const auto& [code, text] : code_names)
    if (text == name) return code;
  return std::nullopt;
}

std::optional<LeaseReason> lease_reason_from(std::string_view name) {
  for (const auto& [reason, text] : reason_names)
    if (text == name) return reason;
  return std::nullopt;
}

Error invalid(std::string message) { return {ErrorCode::invalid, std::move(message)}; }
Error not_found(std::string message) { return {ErrorCode::not_found, std::move(message)}; }
Error lease_lost(LeaseReason reason, std::string message) {
  return {ErrorCode::lease_lost, std::move(message), reason};
}
Error conflict(std::string message) { return {ErrorCode::conflict, std::move(message)}; }
Error unsupported(std::string message) { return {ErrorCode::unsupported, std::move(message)}; }

}  // namespace assay
