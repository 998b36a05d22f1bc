#include "harness/backend/url.h"

namespace assay {

static constexpr std::string_view shown = "***";

static void hide_parameter(std::string& url) {
  constexpr std::string_view name = "password=";
  for (std::size_t at = 0; (at = url.find(name, at)) != std::string::npos; at += shown.size()) {
    at += name.size();
    url.replace(at, std::min(url.find_first_of("& ", at), url.size()) - at, shown);
  }
}

std::string without_password(std::string_view url) {
  std::string safe(url);
  hide_parameter(safe);
  const std::size_t scheme = safe.find("://");
  if (scheme == std::string::npos) return safe;
  const std::size_t begin = scheme + 3;
  // The last one before the path: a password may hold another.
  const std::size_t host = safe.rfind('@', safe.find_first_of("/?", begin));
  const std::size_t colon = safe.find(':', begin);
  if (host == std::string::npos || host < begin || colon > host) return safe;
  return safe.replace(colon + 1, host - colon - 1, shown);
}

}  // namespace assay
