#include "faults/toxiproxy/client.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

#include "faults/detail/http_client.h"
#include "faults/toxiproxy/detail/json.h"

namespace assay::toxiproxy {

using namespace proxy;

namespace {

constexpr int usual_port = 8474;

// A name as a part of a path.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) || letter == '-' || letter == '_' || letter == '.' || letter == '~')
      text += letter;
    else
      text += fmt::format("%{:02X}", byte);
  }
  return text;
}

std::string path_of(const std::string& proxy) { return "/proxies/" + escaped(proxy); }
std::string toxics_path(const std::string& proxy) { return path_of(proxy) + "/toxics"; }
std::string path_of(const std::string& proxy, const std::string& toxic) {
  return toxics_path(proxy) + "/" + escaped(toxic);
}

std::string attributes_text(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_string(name), value);
  return text;
}

std::string body_of(const ProxySpec& spec) {
  return fmt::format(R"({{"name":{},"listen":{},"upstream":{},"enabled":{}}})",
                     json_string(spec.name), json_string(spec.listen), json_string(spec.upstream),
                     spec.enabled);
}

Error error_from(const http::Answer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  std::string message = answer.body;
  if (body.is_object() && body.contains("error") && body["error"].is_string())
    message = body["error"].get<std::string>();
  while (!message.empty() && std::isspace(static_cast<unsigned char>(message.back())))
    message.pop_back();
  message = fmt::format("{} (Toxiproxy answered {})", message.substr(0, 500), answer.status);
  switch (answer.status) {
    case 400:
      return invalid(message);
    case 404:
      return not_found(message);
    case 409:
      return conflict(message);
    default:
      return {answer.status >= 500 ? ErrorCode::unavailable : ErrorCode::invalid, message,
              LeaseReason::unstated, true};
  }
}

Result<json> read(const Result<std::string>& body) {
  if (!body.ok()) return body.error();
  json value = json::parse(*body, nullptr, false);
  if (value.is_discarded())
    return Error{ErrorCode::internal, "the answer of the Toxiproxy server is no JSON"};
  return value;
}

// 2.1 to 2.5 tell it as plain text, later ones as JSON.
std::string version_in(const std::string& body) {
  const json value = json::parse(body, nullptr, false);
  if (value.is_object() && value.contains("version") && value["version"].is_string())
    return value["version"].get<std::string>();
  std::string text = body;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

bool is_spoken(const std::string& version) {
  constexpr int oldest = 1, newest = 12;
  if (version == "git") return true;
  int major = 0, minor = 0;
  const bool is_version = std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2;
  return is_version && major == 2 && minor >= oldest && minor <= newest;
}

}  // namespace

Result<Client> Client::to(const std::string& url) {
  const auto endpoint = http::endpoint_from(url, usual_port);
  if (!endpoint.ok()) return endpoint.error();
  return Client(url.ends_with('/') ? url.substr(0, url.size() - 1) : url, endpoint->host,
                endpoint->port);
}

Result<std::string> Client::ask(const std::string& method, const std::string& path,
                                const std::string& body) const {
  auto answer = http::ask({host_, port_}, {method, path, {}, body});
  if (!answer.ok()) return answer.error();
  if (answer->status < 200 || answer->status > 299) return error_from(*answer);
  return std::move(answer->body);
}

Result<ProxySpec> Client::ask_proxy(const std::string& method, const std::string& path,
                                    const std::string& body) const {
  const auto value = read(ask(method, path, body));
  if (!value.ok()) return value.error();
  return told_proxy(*value);
}

Result<ToxicSpec> Client::ask_toxic(const std::string& method, const std::string& path,
                                    const std::string& body) const {
  const auto value = read(ask(method, path, body));
  if (!value.ok()) return value.error();
  return told_toxic(*value);
}

Result<std::string> Client::version() const {
  const auto body = ask("GET", "/version");
  if (!body.ok()) return body.error();
  std::string version = version_in(*body);
  if (is_spoken(version)) return version;
  return unsupported(
      fmt::format("{} says that it is Toxiproxy `{}`; Assay speaks the API of 2.1 to 2.12", url_,
                  version.substr(0, 40)));
}

Result<std::vector<ProxySpec>> Client::proxies() const {
  const auto value = read(ask("GET", "/proxies"));
  if (!value.ok()) return value.error();
  std::vector<ProxySpec> all;
  for (const json& one : *value) {
    auto spec = told_proxy(one);
    if (!spec.ok()) return spec.error();
    all.push_back(std::move(*spec));
  }
  return all;
}

Result<ProxySpec> Client::proxy(const std::string& name) const {
  return ask_proxy("GET", path_of(name));
}

Result<ProxySpec> Client::create(const ProxySpec& spec) const {
  return ask_proxy("POST", "/proxies", body_of(spec));
}

Result<ProxySpec> Client::update(const std::string& name, const ProxyChange& change) const {
  std::string body;
  const auto add = [&](const char* field, const std::string& value) {
    body += fmt::format("{}\"{}\":{}", body.empty() ? "" : ",", field, value);
  };
  if (change.listen) add("listen", json_string(*change.listen));
  if (change.upstream) add("upstream", json_string(*change.upstream));
  if (change.enabled) add("enabled", *change.enabled ? "true" : "false");
  return ask_proxy("POST", path_of(name), "{" + body + "}");
}

Result<ProxySpec> Client::enable(const std::string& name) const {
  return update(name, {.enabled = true});
}

Result<ProxySpec> Client::disable(const std::string& name) const {
  return update(name, {.enabled = false});
}

Status Client::remove(const std::string& name) const {
  const auto done = ask("DELETE", path_of(name));
  if (!done.ok()) return done.error();
  return Done{};
}

Result<std::vector<ProxySpec>> Client::populate(const std::vector<ProxySpec>& specs) const {
  std::string body;
  for (const ProxySpec& spec : specs) body += (body.empty() ? "" : ",") + body_of(spec);
  const auto value = read(ask("POST", "/populate", "[" + body + "]"));
  if (!value.ok()) return value.error();
  std::vector<ProxySpec> all;
  if (!value->is_object() || !value->contains("proxies")) return all;
  for (const json& one : (*value)["proxies"]) {
    auto spec = told_proxy(one);
    if (!spec.ok()) return spec.error();
    all.push_back(std::move(*spec));
  }
  return all;
}

Status Client::reset() const {
  const auto done = ask("POST", "/reset");
  if (!done.ok()) return done.error();
  return Done{};
}

Result<std::vector<ToxicSpec>> Client::toxics(const std::string& proxy) const {
  const auto value = read(ask("GET", toxics_path(proxy)));
  if (!value.ok()) return value.error();
  std::vector<ToxicSpec> all;
  for (const json& one : *value) {
    auto spec = told_toxic(one);
    if (!spec.ok()) return spec.error();
    all.push_back(std::move(*spec));
  }
  return all;
}

Result<ToxicSpec> Client::toxic(const std::string& proxy, const std::string& name) const {
  return ask_toxic("GET", path_of(proxy, name));
}

Result<ToxicSpec> Client::add_toxic(const std::string& proxy, const ToxicSpec& toxic) const {
  return ask_toxic(
      "POST", toxics_path(proxy),
      fmt::format(R"({{"type":{},"name":{},"stream":{},"toxicity":{},"attributes":{{{}}}}})",
                  json_string(toxic.type), json_string(toxic.name), json_string(toxic.stream),
                  toxic.toxicity, attributes_text(toxic.attributes)));
}

Result<ToxicSpec> Client::update_toxic(const std::string& proxy, const std::string& name,
                                       const ToxicChange& change) const {
  const std::string toxicity =
      change.toxicity ? fmt::format("\"toxicity\":{},", *change.toxicity) : "";
  return ask_toxic(
      "POST", path_of(proxy, name),
      fmt::format(R"({{{}"attributes":{{{}}}}})", toxicity, attributes_text(change.attributes)));
}

Status Client::remove_toxic(const std::string& proxy, const std::string& name) const {
  const auto done = ask("DELETE", path_of(proxy, name));
  if (!done.ok()) return done.error();
  return Done{};
}

}  // namespace assay::toxiproxy
