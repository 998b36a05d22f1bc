// junit_xml: a certification as JUnit XML, which every CI shows. One test case a rule.
//
// FAIL is a failure; ERROR, INCONCLUSIVE, VACUOUS and MISSING are errors; N/A, WAIVED and what was
// not tested are skipped. Trouble of the run itself is an error of the case named "run".
#pragma once

#include <string>

#include "harness/audit/audit.h"
#include "harness/run/certify_all.h"

namespace assay {

// `audit`: null where there was none; else a case a setting and fault.
std::string junit_xml(const Report& report, const AuditReport* audit = nullptr);

// A suite a driver, and one for the comparison.
std::string junit_xml(const AllReport& report);

}  // namespace assay
