// Http: requests and answers, as much of them as is needed here.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/result.h"

namespace assay::http {

struct Request {
  std::string method = "GET";
  std::string target = "/";  // as it is written in the first line
  std::string user_agent = {};
  std::string body = {};
};

struct Answer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct Endpoint {
  std::string host = "127.0.0.1";
  int port = 0;
};

}  // namespace assay::http
