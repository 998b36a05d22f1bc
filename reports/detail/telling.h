// What the terminal says of one driver: its closing line, and the story of each rule it broke.
#pragma once

#include <span>
#include <string>

#include "reports/terminal.h"

namespace assay::detail {

// "at most 20 generated plans, budget 5 s"
std::string limits_of(const CertifyOptions& run);

// "2 FAIL (FENCE-2 ACK-1); stopped before the end"
std::string why_not(const Report& report);

// "CERTIFIED: memory under reference at level contract: 95 rules PASS", and a newline.
std::string closing_line(const Report& report, bool filtered, bool colour);

// `rules`: all that the report has, so that steps that several share are told once.
std::string failure_text(const RuleReport& rule, std::span<const RuleReport> rules,
                         const TerminalOptions& options);

}  // namespace assay::detail
