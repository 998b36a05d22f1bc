// second_close_fails: closing twice is an error.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class SecondCloseFails final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status close() override {
    if (std::exchange(closed_, true)) return Error{ErrorCode::closed, "already closed"};
    return inner().close();
  }

 private:
  bool closed_ = false;
};

}  // namespace

Mutant second_close_fails() {
  return around_memory<SecondCloseFails>({
      .name = "second_close_fails",
      .rules = {"XCLOSE-1"},
      .summary = "closing twice is an error",
  });
}

}  // namespace assay::mutants
