// The store's schema, and the way to a connection that is certainly on a store of ours.
#pragma once

#include <memory>

#include "drivers/sqlite/detail/connection.h"
#include "drivers/sqlite/detail/location.h"

namespace assay::lite {

// In the file's header: whose file it is, and which layout it has.
inline constexpr std::int64_t application_id = 0x41737331;  // "Ass1"
inline constexpr std::int64_t schema_version = 2;

// A connection on the store, which is made where there is none (or an empty file). A file that is
// not ours, or newer than we are, is refused and left exactly as it is, with no file beside it. The
// gates are for its life; null: none.
Result<std::unique_ptr<Connection>> open_store(const Location& location, Gates* gates,
                                               Connection::Users users = Connection::Users::one);

// The file is gone, and what SQLite keeps beside it. Requires: nobody is connected.
void remove_store(const Location& location);

}  // namespace assay::lite
