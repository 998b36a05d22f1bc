// Toxics: what can be wrong with a link, in the words of Toxiproxy's API. Plain data, shared by the
// proxy that does it, the server that is told of it and the client that tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::proxy {

// Upstream is from the client to the store.
enum class Direction { upstream, downstream };

// In capitals or not.
std::optional<Direction> direction_from(std::string_view stream);

using Attributes = std::map<std::string, std::int64_t>;

struct ToxicSpec {
  std::string type;
  std::string name;                   // of its proxy alone; empty: "TYPE_STREAM"
  std::string stream = "downstream";  // as it was written
  double toxicity = 1;                // which share of the connections it befalls
  Attributes attributes;              // those that are absent are 0

  bool operator==(const ToxicSpec&) const = default;
};

// What is to change of a toxic; attributes that are not named stay.
struct ToxicChange {
  std::optional<double> toxicity;
  Attributes attributes;
};

struct ProxySpec {
  std::string name;
  std::string listen;    // "HOST:PORT"; port 0: any free one; no host: 127.0.0.1
  std::string upstream;  // "HOST:PORT"
  bool enabled = true;
  std::vector<ToxicSpec> toxics;  // upstream ones first

  bool operator==(const ProxySpec&) const = default;
};

// What is to change of a proxy.
struct ProxyChange {
  std::optional<std::string> listen, upstream;
  std::optional<bool> enabled;
};

// A kind of toxic, and its attributes in the order in which they are told.
struct ToxicType {
  std::string name;
  std::vector<std::string> attributes;
};

const std::vector<ToxicType>& toxic_types();

// Null: there is no such type.
const ToxicType* toxic_type(std::string_view name);

}  // namespace assay::proxy
