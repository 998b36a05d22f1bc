// A dispatcher and a client of the engine, as a run of the harness has them.
#pragma once

#include "engine/under_test.h"

namespace assay::engine::detail {

std::unique_ptr<RunningWorker> dispatcher_under_test(const EngineTerms& terms,
                                                     Alterations alterations);

Result<std::unique_ptr<EngineClient>> client_under_test(Runtime& runtime, Driver& driver,
                                                        std::uint64_t seed,
                                                        Alterations alterations);

// What a record is to the outbox; without a value it is known by its key alone.
std::optional<EngineRow> row_seen(const std::string& key, const std::string* value);

}  // namespace assay::engine::detail
