#include "faults/toxiproxy/detail/json.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <sstream>

namespace assay::toxiproxy {

using namespace proxy;

// As Go escapes: fit for a page, too.
std::string json_string(std::string_view text) {
  const std::string plain =
      json(text).dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
  std::string safe;
  for (const char letter : plain) {
    if (letter == '<' || letter == '>' || letter == '&')
      safe += fmt::format("\\u00{:02x}", static_cast<int>(letter));
    else
      safe += letter;
  }
  return safe;
}

template <class Spec>
static std::string array_of(const std::vector<Spec>& all) {
  std::string text = "[";
  for (const Spec& one : all) text += (text.size() > 1 ? "," : "") + json_of(one);
  return text + "]";
}

std::string json_of(const std::vector<ToxicSpec>& toxics) { return array_of(toxics); }
std::string json_of(const std::vector<ProxySpec>& proxies) { return array_of(proxies); }

std::string json_of(const ToxicSpec& toxic) {
  std::string attributes;
  const ToxicType* type = toxic_type(toxic.type);
  const auto add = [&](const std::string& name, std::int64_t value) {
    attributes += fmt::format("{}{}:{}", attributes.empty() ? "" : ",", json_string(name), value);
  };
  if (type) {
    for (const std::string& name : type->attributes)
      if (const auto found = toxic.attributes.find(name); found != toxic.attributes.end())
        add(name, found->second);
  } else {
    for (const auto& [name, value] : toxic.attributes) add(name, value);
  }
  return fmt::format(R"({{"attributes":{{{}}},"name":{},"type":{},"stream":{},"toxicity":{}}})",
                     attributes, json_string(toxic.name), json_string(toxic.type),
                     json_string(toxic.stream), static_cast<float>(toxic.toxicity));
}

std::string json_of(const ProxySpec& proxy) {
  return fmt::format(
      R"({{"name":{},"listen":{},"upstream":{},"enabled":{},"Logger":{{}},"toxics":{}}})",
      json_string(proxy.name), json_string(proxy.listen), json_string(proxy.upstream),
      proxy.enabled, json_of(proxy.toxics));
}

std::string json_of_error(std::string_view message, int status) {
  return fmt::format(R"({{"error":{},"status":{}}})", json_string(message), status);
}

namespace {

Error bad_body(std::string_view why) { return invalid(fmt::format("bad request body: {}", why)); }

std::string syntax_trouble(const std::string& body, std::size_t byte) {
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  if (at >= body.size()) return "unexpected EOF";
  std::size_t before = at;
  while (before > 0 && std::isspace(static_cast<unsigned char>(body[before - 1]))) --before;
  const bool wants_key = before > 0 && body[before - 1] == '{';
  return fmt::format("invalid character '{}' looking for beginning of {}", body[at],
                     wants_key ? "object key string" : "value");
}

// Go's word for what a value is.
std::string kind_of(const json& value, bool tells_number) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return tells_number ? "number " + value.dump() : "number";
}

struct Wanted {
  std::string field;  // as Go names it: "Proxy.name"
  std::string type;
};

Error wrong_kind(const json& value, const Wanted& wanted) {
  return bad_body(fmt::format("json: cannot unmarshal {} into Go struct field {} of type {}",
                              kind_of(value, wanted.type.starts_with("int")), wanted.field,
                              wanted.type));
}

// Null: it is absent, or null, which is the same.
const json* field(const json& value, std::string_view name) {
  const auto same = [&](const std::string& key) {
    return std::equal(key.begin(), key.end(), name.begin(), name.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
  };
  if (!value.is_object()) return nullptr;
  const json* found = nullptr;
  for (auto at = value.begin(); at != value.end(); ++at)
    if (same(at.key()) && !at.value().is_null()) found = &at.value();
  return found;
}

Status must_be_object(const json& value, std::string_view type) {
  if (value.is_object() || value.is_null()) return Done{};
  return bad_body(fmt::format("json: cannot unmarshal {} into Go value of type {}",
                              kind_of(value, false), type));
}

// Into `to`, if it is there.
Status read_text(const json& value, const char* name, const char* owner,
                 std::optional<std::string>& to) {
  const json* found = field(value, name);
  if (!found) return Done{};
  if (!found->is_string()) return wrong_kind(*found, {fmt::format("{}.{}", owner, name), "string"});
  to = found->get<std::string>();
  return Done{};
}

std::string go_name(const std::string& type) {
  if (type == "reset_peer") return "ResetToxic";
  std::string name;
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '_') continue;
    const bool begins = i == 0 || type[i - 1] == '_';
    name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(type[i]))) : type[i];
  }
  return name + "Toxic";
}

Error no_such_thing(std::string_view what) {
  return {ErrorCode::internal, fmt::format("the answer of the Toxiproxy server is no {}", what)};
}

}  // namespace

Result<json> first_value(const std::string& body) {
  if (body.find_first_not_of(" \t\r\n") == body.npos) return bad_body("EOF");
  std::istringstream text(body);
  json value;
  try {
    text >> value;
  } catch (const json::parse_error& wrong) {
    return bad_body(syntax_trouble(body, wrong.byte));
  } catch (const json::exception& wrong) {
    return bad_body(wrong.what());
  }
  return value;
}

Result<PostedProxy> posted_proxy(const json& value) {
  if (Status sound = must_be_object(value, "toxiproxy.Proxy"); !sound.ok()) return sound.error();
  PostedProxy posted;
  std::optional<std::string> name;
  Status read = read_text(value, "name", "Proxy", name);
  if (read.ok()) read = read_text(value, "listen", "Proxy", posted.fields.listen);
  if (read.ok()) read = read_text(value, "upstream", "Proxy", posted.fields.upstream);
  if (!read.ok()) return read.error();
  posted.name = name.value_or("");
  if (const json* enabled = field(value, "enabled")) {
    if (!enabled->is_boolean()) return wrong_kind(*enabled, {"Proxy.enabled", "bool"});
    posted.fields.enabled = enabled->get<bool>();
  }
  return posted;
}

Result<std::optional<double>> posted_toxicity(const json& value) {
  const json* found = field(value, "toxicity");
  if (!found) return std::optional<double>();
  if (!found->is_number()) return wrong_kind(*found, {"ToxicWrapper.toxicity", "float32"});
  return std::optional(found->get<double>());
}

Result<ToxicSpec> posted_toxic(const json& value) {
  if (Status sound = must_be_object(value, "toxics.ToxicWrapper"); !sound.ok())
    return sound.error();
  std::optional<std::string> name, type, stream;
  Status read = read_text(value, "name", "ToxicWrapper", name);
  if (read.ok()) read = read_text(value, "type", "ToxicWrapper", type);
  if (read.ok()) read = read_text(value, "stream", "ToxicWrapper", stream);
  if (!read.ok()) return read.error();
  const auto toxicity = posted_toxicity(value);
  if (!toxicity.ok()) return toxicity.error();
  return ToxicSpec{type.value_or(""),
                   name.value_or(""),
                   stream.value_or("downstream"),
                   toxicity->value_or(1),
                   {}};
}

Result<Attributes> posted_attributes(const json& value, const std::string& type) {
  Attributes attributes;
  const json* all = field(value, "attributes");
  if (!all) return attributes;
  const std::string owner = go_name(type);
  if (!all->is_object()) return wrong_kind(*all, {".attributes", "toxics." + owner});
  for (const std::string& name : toxic_type(type)->attributes) {
    const json* found = field(*all, name);
    if (!found) continue;
    const bool fits = found->is_number_integer() &&
                      (!found->is_number_unsigned() ||
                       found->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (!fits)
      return wrong_kind(*found, {fmt::format("{}.attributes.{}", owner, name),
                                 type == "slicer" ? "int" : "int64"});
    attributes[name] = found->get<std::int64_t>();
  }
  return attributes;
}

Result<ToxicSpec> told_toxic(const json& value) {
  auto toxic = posted_toxic(value);
  if (!toxic.ok() || toxic->name.empty()) return no_such_thing("toxic");
  if (const json* all = field(value, "attributes"); all && all->is_object())
    for (auto at = all->begin(); at != all->end(); ++at)
      if (at->is_number_integer()) toxic->attributes[at.key()] = at->get<std::int64_t>();
  return toxic;
}

Result<ProxySpec> told_proxy(const json& value) {
  auto posted = posted_proxy(value);
  if (!posted.ok() || posted->name.empty()) return no_such_thing("proxy");
  ProxySpec spec{posted->name,
                 posted->fields.listen.value_or(""),
                 posted->fields.upstream.value_or(""),
                 posted->fields.enabled.value_or(true),
                 {}};
  if (const json* toxics = field(value, "toxics"); toxics && toxics->is_array()) {
    for (const json& one : *toxics) {
      auto toxic = told_toxic(one);
      if (!toxic.ok()) return toxic.error();
      spec.toxics.push_back(std::move(*toxic));
    }
  }
  return spec;
}

}  // namespace assay::toxiproxy
