// crash_case: one drawn plan, in the middle of which the store goes away and comes back.
#pragma once

#include "harness/audit/detail/store.h"

namespace assay::detail {

// What one case adds to a cell. The error: it could not be carried out, which is our trouble.
Status crash_case(AuditedStore& store, const AuditOptions& options, const Parts& parts,
                  std::uint64_t number, AuditCell& cell);

// Several clients at once, on threads of their own, and what they were answered.
Status race_case(AuditedStore& store, const AuditOptions& options, std::uint64_t number,
                 AuditCell& cell);

// The contract's own cases, one client at a time: the scenarios and as many drawn plans.
Status contract_cases(AuditedStore& store, const AuditOptions& options, const Parts& parts,
                      AuditCell& cell);

}  // namespace assay::detail
