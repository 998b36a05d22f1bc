#include "harness/history/payload.h"
#include "tests/fakes/arbitrary.h"

namespace assay::fakes {
namespace {

std::string any_payload() {
  return any_flag() ? *any_text() : compact_payload(std::string(4097, any_flag() ? 'a' : 'b'));
}

Job any_job() {
  return {.id = *any_text(),
          .queue = *any_text(),
          .type = *any_text(),
          .payload = any_payload(),
          .run_at = maybe(any_instant),
          .max_attempts = maybe(any_number),
          .timeout = maybe(any_duration),
          .key = maybe_text(),
          .priority = any_number(),
          .attempts = any_number(),
          .last_error = maybe_text(),
          .created_at = maybe(any_instant),
          .state = any_state()};
}

NewJob any_new_job() {
  return {.id = maybe_text(),
          .queue = *any_text(),
          .type = *any_text(),
          .payload = any_payload(),
          .run_at = maybe(any_instant),
          .max_attempts = maybe(any_number),
          .timeout = maybe(any_duration),
          .key = maybe_text(),
          .priority = maybe(any_number),
          .attempts = maybe(any_number)};
}

Hold any_hold() { return {*any_text(), *any_text(), maybe(any_number)}; }
Claim any_claim() {
  return {any_job(), *any_text(), maybe(any_number), maybe(any_number), any_instant()};
}
DeadEntry any_entry() { return {*any_text(), any_job(), *any_text(), maybe_text(), any_instant()}; }
JobView any_view() {
  return {any_job(), maybe([] {
            return LeaseView{*any_text(), any_instant(), maybe_text()};
          }),
          maybe([] {
            return DeadView{*any_text(), maybe_text(), any_instant()};
          })};
}

template <class Make>
auto few(Make make) {
  std::vector<decltype(make())> all(static_cast<std::size_t>(*rc::gen::inRange(0, 3)));
  for (auto& each : all) each = make();
  return all;
}

struct Exchange {
  Request request;
  Response response;
};

Exchange any_exchange() {
  switch (*rc::gen::inRange(0, 15)) {
    case 0:
      return {Enqueue{any_new_job()}, Enqueued{*any_text(), any_flag()}};
    case 1:
      return {Reserve{few([] { return *any_text(); }), any_duration(), *any_text(), any_number(),
                      maybe_text()},
              Claims{few(any_claim)}};
    case 2:
      return {Extend{any_hold(), any_duration()}, Extended{any_instant()}};
    case 3:
      return {Ack{any_hold()}, Done{}};
    case 4:
      return {Retry{any_hold(), any_instant(), any_number(), *any_text()}, Done{}};
    case 5:
      return {Fail{any_hold(), any_number(), *any_text(), *any_text()}, Done{}};
    case 6:
      return {Nack{any_hold(), *any_text(), any_flag()}, Nacked{any_state(), maybe(any_instant)}};
    case 7:
      return {Cancel{*any_text()}, Cancelled{any_state()}};
    case 8:
      return {Pause{*any_text()}, Done{}};
    case 9:
      return {Resume{*any_text()}, Done{}};
    case 10:
      return {Get{*any_text()}, any_view()};
    case 11:
      return {List{*any_text(), maybe(any_state), any_number(), maybe_text()},
              JobPage{few(any_job), maybe_text()}};
    case 12:
      return {Dead{*any_text(), any_number(), maybe_text()},
              DeadPage{few(any_entry), maybe_text()}};
    case 13:
      return {Requeue{*any_text(), maybe(any_instant), any_flag()}, Requeued{*any_text()}};
    default:
      return {Close{}, Done{}};
  }
}

Error any_error() {
  return {static_cast<ErrorCode>(*rc::gen::inRange(0, 10)), *any_text(),
          static_cast<LeaseReason>(*rc::gen::inRange(0, 4)), maybe(any_flag)};
}

}  // namespace

History any_history() {
  History history{*any_text(), {}, *any_text(), {"w1", *any_text(), "w1"}, {}};
  const auto operations = static_cast<OpId>(*rc::gen::inRange(0, 8));
  for (OpId op = 0; op < operations; ++op) {
    auto exchange = any_exchange();
    const int client = *rc::gen::inRange(0, 3);
    history.events.push_back(CallEvent{op, client, any_instant(), std::move(exchange.request)});
    if (any_flag()) history.events.push_back(ClockEvent{any_instant()});
    const auto outcome = static_cast<OutcomeKind>(*rc::gen::inRange(0, 3));
    if (outcome == OutcomeKind::ok)
      history.events.push_back(
          ReturnEvent{op, outcome, std::move(exchange.response), {}, maybe(any_instant)});
    else if (any_flag())
      history.events.push_back(ReturnEvent{op, outcome, Done{}, any_error()});
  }
  return history;
}

}  // namespace assay::fakes
