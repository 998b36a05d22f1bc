// The files in scripts/ by name, as the build embeds them.
#pragma once

#include <string_view>

namespace assay::rds::script_texts {

extern const std::string_view begin, job, arrivals, line, failure, expire, settle, claim, finish;
extern const std::string_view enqueue, reserve, extend, ack, retry, fail, nack, cancel, pause,
    resume, get, list, requeue, advance, create, drop, rehearse, commit, record, scan, listen;

}  // namespace assay::rds::script_texts
