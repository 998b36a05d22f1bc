// RunInputs: what came before the job of one run in its flow, read from the records when asked for.
#pragma once

#include "engine/detail/desk.h"
#include "engine/detail/flow_moves.h"

namespace assay::engine::detail {

class RunInputs final : public Inputs {
 public:
  // The desk is borrowed for life.
  explicit RunInputs(Desk& desk) : desk_(desk), member_(member_of(desk.run().claim.job)) {}

  Result<std::optional<std::string>> result() override;
  Result<InputPage> page(const std::optional<std::string>& after, int limit) override;

 private:
  Result<InputPage> read_page(Records& records, const std::string& join, const std::string& after,
                              int limit);
  Status add_results(Records& records, InputPage& page, Scan scan, const std::string& after);

  Desk& desk_;
  const std::optional<MemberName> member_;
};

}  // namespace assay::engine::detail
