// bad_cursor_accepted: a listing with a cursor that nobody gave out begins anew.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class BadCursorAccepted final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (page.ok() || !request.cursor) return page;
    List anew = request;
    anew.cursor.reset();
    return inner().list(now, anew);
  }
};

}  // namespace

Mutant bad_cursor_accepted() {
  return around_memory<BadCursorAccepted>({
      .name = "bad_cursor_accepted",
      .rules = {"XADMIN-2"},
      .summary = "a listing with a cursor that nobody gave out begins anew",
  });
}

}  // namespace assay::mutants
