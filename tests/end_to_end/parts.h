// The shipped properties and scenarios, with a canary made of the memory driver: it takes an ack
// whatever token it carries.
#pragma once

#include "harness/run/certify.h"

namespace assay::end_to_end {

Parts parts();

}  // namespace assay::end_to_end
