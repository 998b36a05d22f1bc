// OutboxLoop: does what each row says, one after the other, and drops it. One that fails is tried
// again later, and parked after too many tries; the others do not wait for it.
#pragma once

#include "engine/detail/office.h"

namespace assay::engine::detail {

class OutboxLoop final : public Loop {
 public:
  using Loop::Loop;

  Result<bool> turn(Line& line) override;

 private:
  using Trouble = std::optional<Error>;  // of the store

  Trouble handle(Line& line, const Record& record);
  Trouble perform(Line& line, const Record& record, const OutboxRow& row);
  Trouble announce(Line& line, const Record& record, const OutboxRow& row);
  Trouble make_job(Line& line, const Record& record, const OutboxRow& row);
  Trouble finish(Line& line, const Record& record, const OutboxRow& row);
  Trouble postpone(Line& line, const Record& record, OutboxRow row, Instant until);
  Trouble failed(Line& line, const Record& record, OutboxRow row, const Error& error);
  Trouble park(Line& line, const Record& record, const OutboxRow& row, std::string value,
               const Error& error);

  std::optional<std::string> after_;  // the last row that was looked at
  Instant now_ = {};                  // by the store, when the page was asked for
};

}  // namespace assay::engine::detail
