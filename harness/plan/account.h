// with_account: a plan that ends with an account of everything: queues go on, every lease ends,
// what is left is served, every job is looked at, one client at a time. So a job that was lost, or
// is served twice, shows.
#pragma once

#include "harness/plan/plan.h"

namespace assay {

Plan with_account(Plan plan, const Profile& profile);

}  // namespace assay
