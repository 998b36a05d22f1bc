// audit_text: an audit of settings, as a person reads it: a line a setting, a column a fault, and
// for each rule the weakest setting that keeps it.
#pragma once

#include <string>

#include "harness/audit/audit.h"

namespace assay {

struct AuditStyle {
  bool colour = false;
  bool verbose = false;  // with the story of each loss
  std::size_t width = 100;
};

std::string audit_text(const AuditReport& report, const AuditStyle& style);

}  // namespace assay
