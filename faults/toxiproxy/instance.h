// Instance: the Toxiproxy that a run uses: one that somebody names, one that is installed, or our
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faults/toxiproxy/client.h"
#include "harness/contract/result.h"

namespace assay::toxiproxy {

enum class InstanceKind {
  named,     // it runs elsewhere, and is not ours
  started,   // by us: a toxiproxy-server of this machine
  embedded,  // our own, in this process
};

struct InstanceWanted {
  std::optional<std::string> url;            // of --toxiproxy
  std::uint64_t seed = 0;                    // of the embedded one; others have none
  std::string program = "toxiproxy-server";  // looked up in PATH
  std::optional<std::string> named_by_environment = std::nullopt;  // ASSAY_TOXIPROXY_URL
};

class Instance {
 public:
  // In this order: the url, the environment's url, the program, our own. Unavailable, unsupported
  // or invalid: the one that was named does not answer, or is no Toxiproxy that we can talk to;
  // then no other is taken.
  static Result<std::unique_ptr<Instance>> find(const InstanceWanted& wanted);
  // The same, but null where nothing but our own is left.
  static Result<std::unique_ptr<Instance>> find_other(const InstanceWanted& wanted);
  // One that we started ends.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  InstanceKind kind() const;
  const Client& client() const;
  // A sentence: which one is used, and why.
  const std::string& description() const;

 private:
  class Core;
  explicit Instance(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

// Which one find() would take, as far as can be said without asking anybody: "toxiproxy-server
// (/usr/bin/toxiproxy-server)".
std::string expected(const InstanceWanted& wanted);

// What find() is to be told, with what the environment says.
InstanceWanted wanted_here(std::optional<std::string> url, std::uint64_t seed);

}  // namespace assay::toxiproxy
