// Mark: where in a history, and when.
#pragma once

#include "harness/judge/job_facts.h"

namespace assay {

struct Mark {
  Place place = 0;
  Instant now = {};
};

}  // namespace assay
