// RealServer: a toxiproxy-server of somebody else's, where there is one to test with.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "faults/toxiproxy/instance.h"

namespace assay::toxiproxy {

inline std::string real_program() {
  const char* named = std::getenv("ASSAY_TOXIPROXY_SERVER");
  return named && *named ? named : "toxiproxy-server";
}

// Null: there is none.
inline std::unique_ptr<Instance> real_server() {
  auto found = Instance::find({.program = real_program()});
  if (!found.ok() || (*found)->kind() != InstanceKind::started) return nullptr;
  return std::move(*found);
}

constexpr const char* no_real_server =
    "no toxiproxy-server on PATH and none named by ASSAY_TOXIPROXY_SERVER";

}  // namespace assay::toxiproxy
