#include "drivers/redis/detail/failure.h"

#include <array>
#include <utility>

namespace assay::rds {

static constexpr std::array<std::pair<std::string_view, ServerCode>, 15> words{{
    {"NOSCRIPT", ServerCode::noscript},
    {"MOVED", ServerCode::moved},
    {"ASK", ServerCode::clusterdown},
    {"TRYAGAIN", ServerCode::clusterdown},
    {"OOM", ServerCode::oom},
    {"READONLY", ServerCode::readonly},
    {"NOAUTH", ServerCode::noauth},
    {"WRONGPASS", ServerCode::wrongpass},
    {"NOPERM", ServerCode::noperm},
    {"LOADING", ServerCode::loading},
    {"MISCONF", ServerCode::misconf},
    {"BUSY", ServerCode::busy},
    {"NOREPLICAS", ServerCode::noreplicas},
    {"MASTERDOWN", ServerCode::masterdown},
    {"CLUSTERDOWN", ServerCode::clusterdown},
}};

static ServerCode code_of_word(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  for (const auto& [name, code] : words)
    if (name == word) return code;
  return ServerCode::other;
}

ServerCode server_code(std::string_view error) {
  // Before Redis 7 an error within a script is wrapped: "ERR Error running script (...): -OOM ...".
  const std::size_t inner = error.find(": -");
  if (error.starts_with("ERR Error running script") && inner != std::string_view::npos)
    return code_of_word(error.substr(inner + 3));
  if (error.starts_with("ERR max number of clients")) return ServerCode::maxclients;
  return code_of_word(error);
}

static Error no_effect(std::string message) {
  return {ErrorCode::unavailable, std::move(message), LeaseReason::unstated, true};
}

// A script is refused with these at its first write, before it changed anything.
static Error refusal(const Failure& failure, const std::string& where) {
  switch (failure.code) {
    case ServerCode::oom:
      return no_effect(where +
                       " is out of memory and takes nothing more: raise its maxmemory, or make "
                       "room, and try again");
    case ServerCode::readonly:
      return no_effect(where + " is a read-only replica: name its primary in the url");
    case ServerCode::noauth:
      return no_effect(where +
                       " wants a password and the url has none: write "
                       "redis://user:password@host:port");
    case ServerCode::wrongpass:
      return no_effect(where + " does not know this user with this password: check the url");
    case ServerCode::noperm:
      return no_effect(where +
                       " does not let this user do what the driver needs: it must be allowed "
                       "scripts, and the keys assay:*");
    case ServerCode::loading:
      return no_effect(where + " is still loading its data: try again in a moment");
    case ServerCode::misconf:
      return no_effect(where +
                       " takes no writes because it cannot save them to its disk: see its log");
    case ServerCode::busy:
      return no_effect(where + " is busy with somebody's script that does not end: try again");
    case ServerCode::noreplicas:
      return no_effect(where + " takes no writes because too few replicas follow it");
    case ServerCode::masterdown:
      return no_effect(where + " is a replica without its primary: name the primary in the url");
    case ServerCode::clusterdown:
    case ServerCode::moved:
      return no_effect(where +
                       " is a node of a cluster that does not serve our keys at the moment: try "
                       "again");
    case ServerCode::maxclients:
      return no_effect(where +
                       " has all the clients that it takes: raise its maxclients, or end some");
    case ServerCode::noscript:
      return no_effect(where + " forgets its scripts as soon as they are loaded");
    case ServerCode::other:
      break;
  }
  return {ErrorCode::internal, where + " answered with an error: " + failure.text};
}

Error to_error(const Failure& failure, const std::string& where) {
  switch (failure.trouble) {
    case Trouble::cannot_connect:
      return no_effect("cannot connect to " + where + " (" + failure.text +
                       "): start it, or name another in the url");
    case Trouble::refused:
      return refusal(failure, where);
    case Trouble::no_answer:
      return {ErrorCode::unavailable, where + " gave no answer within " + failure.text +
                                          "; whether it did what was asked is not known"};
    case Trouble::garbled:
      return {ErrorCode::internal, where + " gave an answer that makes no sense: " + failure.text};
    case Trouble::lost:
      break;
  }
  return {ErrorCode::unavailable, "the connection to " + where + " was lost (" + failure.text +
                                      ") before its answer came; whether it did what was asked is "
                                      "not known"};
}

}  // namespace assay::rds
