// TinyQueue: a job queue in memory, as an author outside of Assay would write one.
#pragma once

#include <memory>

#include "harness/contract/driver.h"

std::unique_ptr<assay::Driver> make_tiny_queue(const assay::DriverOptions& options);
