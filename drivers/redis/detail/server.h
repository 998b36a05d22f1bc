// What a server says of itself: whether it is fit to keep jobs, and what it survives.
#pragma once

#include "drivers/redis/detail/connection.h"
#include "harness/contract/profile.h"

namespace assay::rds {

// Refuses one that is too old, that throws jobs away to make room, that is a replica, or that is
// still loading. Throws where it cannot be asked.
Status check_server(Connection& connection, const std::string& where);

// By its settings; none where it does not tell them. Throws where it cannot be asked.
Durability durability_of(Connection& connection);

}  // namespace assay::rds
