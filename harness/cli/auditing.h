// What `certify --audit` does besides: the driver's store under other settings (docs/audit.md).
#pragma once

#include "harness/audit/audit.h"
#include "harness/cli/certifying.h"
#include "harness/cli/scratch.h"

namespace assay::cli {

// What is wrong with asking for an audit; a sentence.
Status check_audit(const CertifyArguments& arguments, const NamedDriver& driver);

// Requires: check_audit.
AuditReport audit_store(const CertifyJob& job, const CertifyArguments& arguments, Scratch& scratch,
                        const TerminalOptions& terminal);

// Takes into the report what the audit found of the driver's default setting.
void add_audit(Report& report, const AuditReport& audit);

}  // namespace assay::cli
