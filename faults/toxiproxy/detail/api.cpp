#include "faults/toxiproxy/detail/api.h"

#include <fmt/format.h>

#include "faults/toxiproxy/detail/json.h"
#include "harness/contract/version.h"

namespace assay::toxiproxy {
namespace {

using namespace proxy;
using http::Answer;
using http::Request;

constexpr const char* plain_text = "text/plain; charset=utf-8";

Answer told(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

Answer nothing() { return {204, {}, {}}; }

// As Go's http.Error has it.
Answer complaint(int status, std::string_view text) {
  return {status,
          {{"Content-Type", plain_text}, {"X-Content-Type-Options", "nosniff"}},
          fmt::format("{}\n", text)};
}

int status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    default:
      return 500;
  }
}

Answer refused(const Error& error) {
  const int status = status_of(error);
  return complaint(status, json_of_error(error.message, status));
}

Error missing(std::string_view field) {
  return invalid(fmt::format("missing required field: {}", field));
}

template <class Spec>
Answer told(const Result<Spec>& result, int status = 200) {
  return result.ok() ? told(status, json_of(*result)) : refused(result.error());
}

Answer done(const Status& status) { return status.ok() ? nothing() : refused(status.error()); }

// The words of a path, in it as they are written between the slashes.
std::vector<std::string> path_of(std::string_view target) {
  std::string decoded;
  target = target.substr(0, target.find('?'));
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < target.size() && std::isxdigit(static_cast<unsigned char>(target[at]));
    };
    if (target[i] == '%' && digit(i + 1) && digit(i + 2)) {
      decoded += static_cast<char>(std::stoi(std::string(target.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      decoded += target[i];
    }
  }
  std::vector<std::string> words;
  if (!decoded.starts_with('/')) return words;
  for (std::size_t from = 1; from <= decoded.size();) {
    const std::size_t to = std::min(decoded.find('/', from), decoded.size());
    words.push_back(decoded.substr(from, to - from));
    from = to + 1;
  }
  if (decoded.ends_with('/')) words.emplace_back();
  return words;
}

Answer all_proxies(ShapingProxy& proxies) {
  std::string body = "{";
  for (const ProxySpec& proxy : proxies.all())
    body +=
        fmt::format("{}{}:{}", body.size() > 1 ? "," : "", json_string(proxy.name), json_of(proxy));
  return told(200, body + "}");
}

Answer create_proxy(ShapingProxy& proxies, const std::string& body) {
  const auto value = first_value(body);
  if (!value.ok()) return refused(value.error());
  const auto posted = posted_proxy(*value);
  if (!posted.ok()) return refused(posted.error());
  if (posted->name.empty()) return refused(missing("name"));
  const auto& [listen, upstream, enabled] = posted->fields;
  if (upstream.value_or("").empty()) return refused(missing("upstream"));
  return told(
      proxies.add({posted->name, listen.value_or(""), *upstream, enabled.value_or(true), {}}), 201);
}

Answer update_proxy(ShapingProxy& proxies, const std::string& name, const std::string& body) {
  if (const auto there = proxies.get(name); !there.ok()) return refused(there.error());
  const auto value = first_value(body);
  if (!value.ok()) return refused(value.error());
  const auto posted = posted_proxy(*value);
  if (!posted.ok()) return refused(posted.error());
  return told(proxies.change(name, posted->fields));
}

Result<std::vector<ProxySpec>> listed_proxies(const std::string& body) {
  const auto value = first_value(body);
  if (!value.ok()) return value.error();
  if (!value->is_array() && !value->is_null())
    return invalid(fmt::format(
        "bad request body: json: cannot unmarshal {} into Go value of type []toxiproxy.Proxy",
        value->type_name()));
  std::vector<ProxySpec> all;
  for (const json& one : *value) {
    const auto posted = posted_proxy(one);
    if (!posted.ok()) return posted.error();
    const auto& [listen, upstream, enabled] = posted->fields;
    all.push_back(
        {posted->name, listen.value_or(""), upstream.value_or(""), enabled.value_or(true), {}});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name.empty()) return missing(fmt::format("name at proxy {}", i + 1));
    if (all[i].upstream.empty()) return missing(fmt::format("upstream at proxy {}", i + 1));
  }
  return all;
}

// Where one fails, those before it are there, and told.
Answer populate(ShapingProxy& proxies, const std::string& body) {
  const auto listed = listed_proxies(body);
  std::vector<ProxySpec> made;
  std::optional<Error> trouble;
  if (!listed.ok()) trouble = listed.error();
  if (listed.ok()) {
    for (const ProxySpec& proxy : *listed) {
      const auto put = proxies.put(proxy);
      if (!put.ok()) {
        trouble = put.error();
        break;
      }
      made.push_back(*put);
    }
  }
  const std::string array = made.empty() ? "null" : json_of(made);
  if (!trouble) return told(201, fmt::format(R"({{"proxies":{}}})", array));
  const int status = status_of(*trouble);
  return told(status, fmt::format(R"({{"error":{},"status":{},"proxies":{}}})",
                                  json_string(trouble->message), status, array));
}

// What is wrong is told in this order: the JSON, the stream, the type, the name, the attributes.
Answer create_toxic(ShapingProxy& proxies, const std::string& name, const std::string& body) {
  const auto there = proxies.get(name);
  if (!there.ok()) return refused(there.error());
  const auto value = first_value(body);
  if (!value.ok()) return refused(value.error());
  auto toxic = posted_toxic(*value);
  if (!toxic.ok()) return refused(toxic.error());
  if (direction_from(toxic->stream) && toxic_type(toxic->type)) {
    if (toxic->name.empty()) toxic->name = toxic->type + "_" + toxic->stream;
    const auto attributes = posted_attributes(*value, toxic->type);
    if (!attributes.ok() && !proxies.get_toxic(name, toxic->name).ok())
      return refused(attributes.error());
    if (attributes.ok()) toxic->attributes = *attributes;
  }
  return told(proxies.add_toxic(name, *toxic));
}

Answer update_toxic(ShapingProxy& proxies, const std::string& name, const std::string& toxic,
                    const std::string& body) {
  const auto there = proxies.get_toxic(name, toxic);
  if (!there.ok()) return refused(there.error());
  const auto value = first_value(body);
  if (!value.ok()) return refused(value.error());
  const auto attributes = posted_attributes(*value, there->type);
  if (!attributes.ok()) return refused(attributes.error());
  const auto toxicity = posted_toxicity(*value);
  if (!toxicity.ok()) return refused(toxicity.error());
  return told(proxies.change_toxic(name, toxic, {*toxicity, *attributes}));
}

Answer toxics_of(ShapingProxy& proxies, const std::string& name) {
  const auto proxy = proxies.get(name);
  return proxy.ok() ? told(200, json_of(proxy->toxics)) : refused(proxy.error());
}

struct Route {
  const std::string& method;
  const std::vector<std::string>& path;

  bool is(std::string_view wanted) const { return method == wanted; }
  bool updates() const { return method == "POST" || method == "PATCH"; }
};

// Nothing: the path is known, and the method is not for it.
std::optional<Answer> routed(ShapingProxy& proxies, const Route& route, const Request& request) {
  const auto& path = route.path;
  if (path[0] == "version") {
    if (!route.is("GET")) return std::nullopt;
    return Answer{200,
                  {{"Content-Type", "application/json;charset=utf-8"}},
                  fmt::format("{{\"version\": \"{}\"}}\n", spoken_version)};
  }
  if (path[0] == "reset")
    return route.is("POST") ? std::optional(done(proxies.reset())) : std::nullopt;
  if (path[0] == "populate")
    return route.is("POST") ? std::optional(populate(proxies, request.body)) : std::nullopt;
  if (path.size() == 1) {
    if (route.is("GET")) return all_proxies(proxies);
    if (route.is("POST")) return create_proxy(proxies, request.body);
  } else if (path.size() == 2) {
    if (route.is("GET")) return told(proxies.get(path[1]));
    if (route.updates()) return update_proxy(proxies, path[1], request.body);
    if (route.is("DELETE")) return done(proxies.remove(path[1]));
  } else if (path.size() == 3) {
    if (route.is("GET")) return toxics_of(proxies, path[1]);
    if (route.is("POST")) return create_toxic(proxies, path[1], request.body);
  } else {
    if (route.is("GET")) return told(proxies.get_toxic(path[1], path[3]));
    if (route.updates()) return update_toxic(proxies, path[1], path[3], request.body);
    if (route.is("DELETE")) return done(proxies.remove_toxic(path[1], path[3]));
  }
  return std::nullopt;
}

bool is_known(const std::vector<std::string>& path) {
  if (path.empty()) return false;
  for (const std::string& word : path)
    if (word.empty()) return false;
  if (path[0] != "proxies")
    return path.size() == 1 &&
           (path[0] == "version" || path[0] == "reset" || path[0] == "populate");
  return path.size() <= 2 || (path.size() <= 4 && path[2] == "toxics");
}

}  // namespace

Answer answer(ShapingProxy& proxies, const Request& request, std::string id) {
  const auto path = path_of(request.target);
  if (!is_known(path)) return complaint(404, "404 page not found");
  // A page in a browser must not be able to give orders here.
  const bool is_browser = request.user_agent.starts_with("Mozilla/");
  auto found = is_browser ? std::optional(complaint(403, "User agent not allowed"))
                          : routed(proxies, {request.method, path}, request);
  if (!found) return {405, {}, {}};
  found->headers.emplace_back("X-Toxiproxy-Request-Id", std::move(id));
  found->headers.emplace_back("Server", fmt::format("assay/{}", version()));
  return *found;
}

}  // namespace assay::toxiproxy
