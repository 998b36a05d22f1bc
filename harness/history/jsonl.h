// Histories on disk: one JSON object a line, a header first. The bytes depend on the history alone.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "harness/history/history.h"

namespace assay {

std::string header_line(const History& history);  // without the newline

// A client is written by its name, or by its number where `clients` has no name for it.
std::string event_line(const Event& event, std::span<const std::string> clients = {});

void write_jsonl(const History& history, std::ostream& out);

// An error names the line and the field; an incomplete last line is called that.
Result<History> read_jsonl(std::istream& in);

// Of the lines that write_jsonl writes, less the header: what two runs must share to be the same.
std::uint64_t history_hash(const History& history);

// Two hexadecimal digits an event, hashed from its line: too few to tell histories apart, enough to
// say which event two of them first differ in. Empty for a history of more than trace_max_events.
std::string trace_of(const History& history);
inline constexpr std::size_t trace_max_events = 400;

}  // namespace assay
