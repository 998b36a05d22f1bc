// Records of the drivers that need no server.
#include "drivers/memory/memory.h"
#include "drivers/sqlite/sqlite.h"
#include "tests/drivers/records_suite.h"

namespace assay::on_store {
namespace {

using Url = Result<std::optional<std::string>>;

Store in_memory() {
  return {"memory", memory(), [](const std::string&) { return Url(std::nullopt); }};
}

INSTANTIATE_TEST_SUITE_P(Memory, RecordsOnStore,
                         ::testing::ValuesIn(with_every_profile({in_memory()})), name_of_case);

}  // namespace
}  // namespace assay::on_store
