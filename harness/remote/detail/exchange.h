// Exchange: asks a driver one thing or several, looks at every line that comes back, and keeps a
// CheckReport of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/remote/check.h"

namespace assay::detail {

// What an answer must be, beyond its form.
enum class Must {
  answer,   // anything will do
  exist,    // not be `unsupported`: the driver claims it, or every driver has it
  succeed,  // be `ok`
  refuse,   // be `unsupported` or `invalid`
};

struct Ask {
  std::string what;               // the trial
  nlohmann::ordered_json fields;  // all but the id
  Must must = Must::answer;
};

// The `ok` of an answer that is as it should be; null where it was refused, or none came.
using Ok = nlohmann::json;

class Exchange {
 public:
  // Both are borrowed for life.
  Exchange(Connection& connection, CheckReport& report, const ConnectionOptions& options)
      : connection_(connection), report_(report), options_(options) {}

  // Sends all of them before it waits for the first answer. After the end nothing is sent.
  std::vector<Ok> ask(const std::vector<Ask>& asks);

  // The driver has fallen silent, or is gone: it cannot be asked any more.
  bool over() const { return over_; }

  // Lines that nobody asked for, after the last answer.
  void expect_silence(const std::string& what);

 private:
  struct Open {
    const Ask* ask;
    std::int64_t id = 0;
    std::string line = {};
    Ok ok = nullptr;
    bool answered = false;
  };

  void wait(std::vector<Open>& open);
  bool take(const std::string& line, std::vector<Open>& open);
  void settle(Open& open, const nlohmann::json& answer, const std::string& line);
  void fall_silent(const Open& open, const std::string& why);
  void add(const Open& open, std::vector<protocol::Problem> problems, const std::string& line);

  Connection& connection_;
  CheckReport& report_;
  ConnectionOptions options_;
  bool heard_ = false;
  bool over_ = false;
};

}  // namespace assay::detail
