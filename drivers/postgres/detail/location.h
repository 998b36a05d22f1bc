// Location: which server a url names, and how we connect to it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay::pg {

class Location {
 public:
  // What libpq takes: a URI or `name=value ...`. Refuses what libpq cannot read.
  static Result<Location> parse(const std::string& url);

  // For libpq: with our own timeouts where the url has none.
  std::string conninfo() const;

  // How long a connection may take to be made.
  Duration connect_timeout() const;

  // For messages: no secrets.
  std::string shown() const;

  // The text on one line, with what is secret in the url taken out.
  std::string cleaned(std::string text) const;

 private:
  std::vector<std::pair<std::string, std::string>> options_;
  std::vector<std::string> secrets_;
};

}  // namespace assay::pg
