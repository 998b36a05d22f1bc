// closing: a session can be closed twice, and is of no use after.
#include <fmt/format.h>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static void operation(const Moment& m, Verdicts& v) {
  bool closing = m.request<Close>() != nullptr;
  if ((!m.after_close && !closing) || m.end.outcome == OutcomeKind::unknown) return;
  if (m.after_close) v.triggered("XCLOSE-1");
  bool right = closing ? m.ok() : m.refused(ErrorCode::closed);
  if (!right)
    v.convict("XCLOSE-1", nullptr, {},
              fmt::format("{}, {} was {}.", m.after_close ? "after a close" : "on an open session",
                          name_of(m.call.request), words::outcome(m)));
}

static constexpr std::string_view rules[] = {"XCLOSE-1"};

Property closing() {
  return {"closing", rules, operation, nullptr, nullptr, nullptr, calls_of<Close>, every_call};
}

}  // namespace assay::properties
