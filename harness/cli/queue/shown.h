// How jobs are shown: to people as lines and tables, to programs as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/admin.h"
#include "harness/contract/job.h"

namespace assay::cli::queue {

std::string clock_text(Instant at);                   // "2026-11-18 12:00:03.250Z"
std::string away_text(Duration from_now);             // "in 5 s", "3 min ago"
std::string when_text(Instant at, Instant now);       // both
Result<Instant> instant_from(std::string_view text);  // "2026-11-18T12:00:03Z"; a sentence if not

// On one line, at most so long, with nothing in it that moves a cursor.
std::string brief(std::string_view bytes, std::size_t width);

std::string job_json(const Job& job);
std::string view_json(const JobView& view);
std::string dead_json(const DeadEntry& entry);
std::string stats_json(const std::string& queue, const engine::QueueStats& stats);
std::string array_json(const std::vector<std::string>& objects);  // one a line

}  // namespace assay::cli::queue
