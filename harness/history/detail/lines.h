// The lines of a history: calls and answers with the fields that docs/protocol.md names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/detail/json_reader.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/history/history.h"

namespace assay::detail {

inline constexpr std::int64_t history_schema = 1;  // the format's version

// What a history keeps of a payload. Lenient fields may lack it: then it is empty.
template <class Fields>
std::string read_kept_payload(Fields& fields);

// Of a return: how the call ended. Throws what the fields throw.
template <class Fields>
void read_outcome(Fields& fields, const Request& of, ReturnEvent& to);

// But for its client.
FaultEvent read_fault(Fields& fields);
EngineEvent read_engine_event(Fields& fields);

class EventReader {
 public:
  void name_clients(std::vector<std::string> names) { clients_ = std::move(names); }

  // An answer's form depends on its call, which must have come before.
  Event event(Fields& fields, std::string_view kind);

 private:
  CallEvent call(Fields& fields);
  ReturnEvent answer(Fields& fields);
  int client(Fields& fields) const;

  std::vector<std::string> clients_;
  std::map<OpId, Request> open_;  // calls without an answer so far
};

}  // namespace assay::detail
