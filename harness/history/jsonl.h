// Histories on disk: one JSON object a line, a header first. The bytes depend on the history alone.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "harness/history/history.h"

namespace assay {

std::string header_line(const History& history);  // without the newline
std::string event_line(const Event& event);

void write_jsonl(const History& history, std::ostream& out);
Result<History> read_jsonl(std::istream& in);

// Of the lines that write_jsonl writes, less the header: what two runs must share to be the same.
std::uint64_t history_hash(const History& history);

}  // namespace assay
