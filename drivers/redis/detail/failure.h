// Failure: why a command brought no answer of use, and the one way from there to an Error.
//
// Thrown within the driver; no Failure leaves it.
#pragma once

#include <string>
#include <string_view>

#include "harness/contract/error.h"

namespace assay::rds {

enum class Trouble {
  cannot_connect,  // the command was not sent
  lost,            // the connection ended after something was sent
  no_answer,       // in time
  garbled,         // what came is not what was asked for
  refused,         // the server answered with an error; the code says which
};

// The first word of a server's error, where it means something to us.
enum class ServerCode {
  other,
  noscript,
  moved,
  oom,
  readonly,
  noauth,
  wrongpass,
  noperm,
  loading,
  misconf,
  busy,
  noreplicas,
  masterdown,
  clusterdown,
  maxclients,
};

ServerCode server_code(std::string_view error);

struct Failure {
  Trouble trouble = Trouble::lost;
  std::string text = {};  // the system's or the server's; never holds a password
  ServerCode code = ServerCode::other;
};

// The one place where Redis' and the connection's troubles become ours. Whatever it does not know
// is indefinite.
Error to_error(const Failure& failure, const std::string& where);

}  // namespace assay::rds
