// FlowDesk: what all calls of Flows have in common: a line, tries, and who is told.
//
// Not thread-safe.
#pragma once

#include <stop_token>
#include <type_traits>

#include "engine/detail/flow_moves.h"
#include "engine/detail/line.h"
#include "engine/failure.h"
#include "engine/flows.h"

namespace assay::engine::detail {

class FlowDesk {
 public:
  // Runtime and driver are borrowed for life.
  FlowDesk(Runtime& runtime, Driver& driver, FlowsOptions options)
      : clock(runtime.clock()),
        profile(driver.profile()),
        options(std::move(options)),
        line(driver, this->options.name),
        random(Random(this->options.seed).fork("flows/" + this->options.name)) {}

  // The same again for as long as there is trouble and there are tries. Requires: it may be
  // repeated. `make` gets the session, its records and whom to tell.
  template <class Call>
  auto ask(Call make) {
    using Answer = std::invoke_result_t<Call, Session&, Records&, FlowMoves&>;
    bool in_doubt = false;
    for (std::int64_t tries = 1;; ++tries) {
      std::vector<Happening> told;
      Answer answer = line.call([&](Session& session) -> Answer {
        const auto records = records_of(session);
        if (!records.ok()) return records.error();
        FlowMoves moves(**records, clock, told);
        return make(session, **records, moves);
      });
      for (Happening& what : told) tell(std::move(what));
      if (answer.ok() || !is_trouble(answer.error())) return answer;
      in_doubt = in_doubt || !is_definite(answer.error());
      if (tries >= options.tries.runs || stop.stop_requested()) {
        Error error = answer.error();
        error.definite = !in_doubt;
        return Answer(std::move(error));
      }
      clock.sleep_until(later(clock.now(), delay_after(options.tries, tries, random)), stop);
    }
  }

  void tell(Happening what) {
    if (options.observer)
      options.observer->see({clock.now(), options.name, -1, {}, std::move(what)});
  }

  Clock& clock;
  const Profile profile;
  const FlowsOptions options;
  Line line;
  Random random;
  std::stop_token stop = {};  // it tries no more
};

// --- what Flows does, a file each ---

Result<FlowHandedIn> submit_flow(FlowDesk& desk, const FlowSubmission& submission);
Result<FlowView> show_flow(FlowDesk& desk, const std::string& id, const FlowPaging& paging);
Result<FlowCancelled> cancel_flow(FlowDesk& desk, const std::string& id);
Result<Swept> sweep_flows(FlowDesk& desk, const std::optional<std::string>& id);
Status forget_flow(FlowDesk& desk, const std::string& id);

// --- and what they share ---

struct KnownFlow {
  Header header = {};
  Shape shape = {};
  std::int64_t version = 0;  // of the header
};
// Refused as not_found where there is none.
Result<KnownFlow> known_flow(FlowMoves& moves, const std::string& id);

// Whether nothing will happen any more but by hand.
Result<FlowState> state_of(Records& records, FlowMoves& moves, Instant now, const std::string& id,
                           const Header& header, std::string* stopped_by = nullptr);

}  // namespace assay::engine::detail
