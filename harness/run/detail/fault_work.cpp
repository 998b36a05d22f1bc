#include "harness/run/detail/fault_work.h"

#include <fmt/format.h>

namespace assay::detail {

bool FaultWork::begin(const Step& step, std::vector<OpId> in_flight) {
  const FaultSpec& spec = *step.fault;
  has_begun_ = true;
  const auto client = spec.everybody ? std::nullopt : std::optional(step.client);
  // A slot that comes again has a fault that nobody ended.
  end(step.slot);
  records_.push_back({spec.name, client, false, "", "", in_flight.size(), false});
  FaultRecord& record = records_.back();
  const auto info = find_fault(known_, spec);
  if (!info.ok()) {
    record.why_not = info.error().message;
    return false;
  }
  Going going{(*info)->make(spec, client.value_or(-1), around_), records_.size() - 1,
              FaultEvent{FaultEvent::Stage::begun, records_.size() - 1, spec.name, (*info)->effect,
                         client, "", std::move(in_flight)},
              (*info)->shows_at_end, (*info)->outage.has_value()};
  if (journal_) {
    const auto written =
        journal_->begins(client ? fmt::format("{} of client {}", spec.name, *client) : spec.name);
    if (!written.ok()) {
      record.why_not = written.error().message;
      return false;
    }
    going.written = *written;
  }
  tell_(going.said);
  going.said.in_flight.clear();
  ++count_;
  if (const Status begun = going.fault->begin(); !begun.ok()) {
    record.why_not = begun.error().message;
    end(going);
    return false;
  }
  record.begun = true;
  if (!going.shows_at_end) ask_for_proof(going);
  if ((*info)->is_brief)
    end(going);
  else
    going_.insert_or_assign(step.slot, std::move(going));
  return true;
}

void FaultWork::ask_for_proof(Going& going) {
  FaultRecord& record = records_[going.record];
  if (!record.begun || !record.proof.empty()) return;
  auto proof = going.fault->proof();
  record.why_not = proof.ok() ? "" : proof.error().message;
  record.met_nobody = !proof.ok() && is_met_nobody(proof.error());
  if (!proof.ok()) return;
  record.proof = *proof;
  if (const std::string measured = going.fault->measured(); !measured.empty())
    record.proof += " (" + measured + ")";
  FaultEvent proven = going.said;
  proven.stage = FaultEvent::Stage::proven;
  proven.proof = std::move(*proof);
  tell_(std::move(proven));
}

void FaultWork::end(Going& going) {
  if (!going.shows_at_end) ask_for_proof(going);
  FaultRecord& record = records_[going.record];
  const Status ended = going.fault->end();
  --count_;
  if (going.shows_at_end && ended.ok()) ask_for_proof(going);
  if (!ended.ok()) {
    record.met_nobody = false;  // it may outlast the run
    if (record.why_not.empty()) record.why_not = ended.error().message;
    if (going.is_outage && record.is_proven() && !not_back_)
      not_back_ =
          Error{ErrorCode::unavailable, fmt::format("after {} the store did not come back: {}",
                                                    record.fault, ended.error().message)};
  }
  if (ended.ok() && going.written) static_cast<void>(journal_->done(*going.written));
  going.said.stage = FaultEvent::Stage::ended;
  tell_(std::move(going.said));
}

void FaultWork::end(int slot) {
  if (auto found = going_.extract(slot)) end(found.mapped());
}

// The last that began is the first to end.
void FaultWork::end_all() {
  while (!going_.empty()) {
    auto last = going_.begin();
    for (auto at = going_.begin(); at != going_.end(); ++at)
      if (at->second.record > last->second.record) last = at;
    end(last->first);
  }
}

}  // namespace assay::detail
