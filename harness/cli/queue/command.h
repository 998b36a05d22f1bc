// Command: one of `assay queue ...`: what it takes, and what it does. A new one is one file and one
// line in all.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/cli/commands.h"

namespace assay::cli::queue {

// What a command takes. Texts stay texts: each command says itself what is wrong with them. What is
// filled is borrowed until the command line is read.
class Takes {
 public:
  using To = std::variant<bool*, std::optional<std::string>*, std::vector<std::string>*>;
  struct One {
    std::string name;  // "TYPE", or "--queue,-q"
    std::string type;  // of an option's value, for people
    std::string help;
    To to;
  };

  void word(std::string name, std::optional<std::string>& to, std::string help) {
    all_.push_back({std::move(name), "", std::move(help), &to});
  }
  void words(std::string name, std::vector<std::string>& to, std::string help) {
    all_.push_back({std::move(name), "", std::move(help), &to});
  }
  void option(std::string name, std::string type, std::optional<std::string>& to,
              std::string help) {
    all_.push_back({std::move(name), std::move(type), std::move(help), &to});
  }
  // As often as needed.
  void options(std::string name, std::string type, std::vector<std::string>& to, std::string help) {
    all_.push_back({std::move(name), std::move(type), std::move(help), &to});
  }
  void flag(std::string name, bool& to, std::string help) {
    all_.push_back({std::move(name), "", std::move(help), &to});
  }

  const std::vector<One>& all() const { return all_; }

 private:
  std::vector<One> all_;
};

class Command {
 public:
  virtual ~Command() = default;

  virtual std::string_view name() const = 0;  // "enqueue", "dead list"
  virtual std::string_view summary() const = 0;
  virtual std::string_view footer() const = 0;  // examples, and what else is to be known
  virtual void take(Takes& takes) = 0;
  // Returns the exit status; what is wrong was told on stderr. Requires: the command line is read.
  virtual int run(const Program& program) = 0;
};

}  // namespace assay::cli::queue
