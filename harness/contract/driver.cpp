#include "harness/contract/driver.h"

#include <array>

#include "harness/contract/wakeups.h"

namespace assay {

static constexpr std::array<std::string_view, 3> role_names{"producer", "worker", "admin"};

std::string_view name_of(Role role) { return role_names[static_cast<std::size_t>(role)]; }

std::optional<Role> role_from(std::string_view name) {
  for (std::size_t i = 0; i < role_names.size(); ++i)
    if (role_names[i] == name) return static_cast<Role>(i);
  return std::nullopt;
}

std::string_view name_of(Interleaving interleaving) {
  static constexpr std::array<std::string_view, 4> names{"calls", "gates", "fibers", "trips"};
  return names[static_cast<std::size_t>(interleaving)];
}

Result<Instant> Driver::advance(Duration) {
  return unsupported("this driver's clock cannot be moved");
}

Result<std::unique_ptr<WakeUps>> Driver::wakeups(const std::vector<std::string>&) {
  return unsupported("this driver wakes nobody up");
}

}  // namespace assay
