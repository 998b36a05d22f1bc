// report_json: a certification as JSON, for programs. docs/report.schema.json is its schema.
#pragma once

#include <span>
#include <string>

#include "harness/audit/audit.h"
#include "harness/run/certify_all.h"

namespace assay {

inline constexpr int report_schema = 1;

// Indented, with a newline at the end.
// `audit`: null where there was none.
std::string report_json(const Report& report, const AuditReport* audit = nullptr);

// An array, as the report has it.
std::string faults_json(std::span<const FaultTally> faults);

// Of several drivers: docs/report-all.schema.json.
std::string report_json(const AllReport& report);

}  // namespace assay
