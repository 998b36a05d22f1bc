// The JSON of Toxiproxy's API: written as its server writes it, to the byte; read as its server
// reads it, with its complaints.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/contract/result.h"
#include "harness/proxy/toxics.h"

namespace assay::toxiproxy {

using nlohmann::json;

std::string json_of(const proxy::ToxicSpec& toxic);
std::string json_of(const proxy::ProxySpec& proxy);
std::string json_of(const std::vector<proxy::ToxicSpec>& toxics);
std::string json_of(const std::vector<proxy::ProxySpec>& proxies);  // an array
std::string json_string(std::string_view text);
// {"error":"...","status":400}
std::string json_of_error(std::string_view message, int status);

// The first value of a text; what is behind it is not looked at. Invalid: as Go complains.
Result<json> first_value(const std::string& body);

// A proxy as it is posted; absent fields are absent. Field names in any case, as in Go.
struct PostedProxy {
  std::string name;
  proxy::ProxyChange fields;
};
Result<PostedProxy> posted_proxy(const json& value);

// Without its attributes: what is wrong with them is told last.
Result<proxy::ToxicSpec> posted_toxic(const json& value);
Result<std::optional<double>> posted_toxicity(const json& value);
// Only those that are there. Requires: there is such a type.
Result<proxy::Attributes> posted_attributes(const json& value, const std::string& type);

// What a server tells; unknown fields are not looked at. Internal: it is no such thing.
Result<proxy::ProxySpec> told_proxy(const json& value);
Result<proxy::ToxicSpec> told_toxic(const json& value);

}  // namespace assay::toxiproxy
