// Requests and responses as JSON, with the fields that docs/protocol.md names: histories and wires
// differ only in what they keep of a payload.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "harness/contract/detail/json_reader.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/contract/operation.h"

namespace assay::detail {

using PayloadWriter = void (*)(JsonObject&, std::string_view);
// Fields are Fields or QuickFields.
template <class Fields>
using PayloadReader = std::string (*)(Fields&);

// As base64 in the member `payload`.
void write_whole_payload(JsonObject& object, std::string_view payload);
template <class Fields>
std::string read_whole_payload(Fields& fields);

// The request's own fields, as members of an object that is under way.
void write_request(JsonObject& object, const Request& request, PayloadWriter write_payload);
// Objects.
void write_response(std::string& out, const Response& response, PayloadWriter write_payload);
void write_error(std::string& out, const Error& error);

// These throw Malformed. Tolerant fields may lack whatever has a natural default.
template <class Fields>
Request read_request(Fields& fields, std::string_view name,
                     PayloadReader<std::type_identity_t<Fields>> read_payload);
// The same in place of what is there; false where there is no request of that name.
template <class Fields>
bool read_request(Fields& fields, std::string_view name,
                  PayloadReader<std::type_identity_t<Fields>> read_payload, Request& to);
template <class Fields>
Response read_response(Fields& fields, const Request& request,
                       PayloadReader<std::type_identity_t<Fields>> read_payload);
template <class Fields>
Error read_error(Fields fields);

bool is_request(std::string_view name);

// One like it with nothing in it; it is there for ever.
const Request& empty_like(const Request& request);

}  // namespace assay::detail
