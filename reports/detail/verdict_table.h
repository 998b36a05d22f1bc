// The verdicts as a person reads them: a line a family, then what did not pass, then what was not
// tested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/run/certify.h"

namespace assay::detail {

// Severest first.
inline constexpr Verdict by_severity[] = {
    Verdict::fail,    Verdict::error, Verdict::inconclusive, Verdict::vacuous,
    Verdict::missing, Verdict::pass,  Verdict::waived,       Verdict::not_applicable};

struct TableStyle {
  bool colour = false;
  bool verbose = false;
  std::size_t width = 100;
};

std::string painted(bool colour, Verdict verdict, std::string_view text);
std::string bold(bool colour, std::string_view text);

std::string verdict_table(const Report& report, const TableStyle& style);

// Rules that do not apply, and those of other levels and layers, by reason. Empty where all were
// tested.
std::string not_tested_table(const Report& report, const TableStyle& style);

}  // namespace assay::detail
