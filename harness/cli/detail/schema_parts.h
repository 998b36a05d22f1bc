// What the JSON Schemas of the protocol and of histories share: jobs, claims, errors, profiles.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "harness/remote/schema.h"

namespace assay::cli {

using Json = nlohmann::ordered_json;

// {"$ref": "#/$defs/name"}
Json reference(std::string_view name);

// Fields that are not named may be there, too: everybody ignores what they do not know.
Json object_of(std::span<const protocol::Field> fields);

// Every object and list of names of the protocol, the profile, and plain types.
void add_shared_definitions(Json& defs);

}  // namespace assay::cli
