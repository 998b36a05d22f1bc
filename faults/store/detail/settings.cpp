#include "faults/store/detail/settings.h"

#include <fmt/format.h>

namespace assay::faults {

Result<std::string> set_redis(Backend& server, const std::string& setting,
                              const std::string& value) {
  // The name, and in the next line the value.
  const auto said = server.ask({"CONFIG", "GET", setting});
  if (!said.ok()) return said.error();
  const auto begin = said->find('\n');
  if (begin == said->npos || begin + 1 >= said->size())
    return unsupported(fmt::format("the server has no setting {}", setting));
  const std::string before = said->substr(begin + 1, said->find('\n', begin + 1) - begin - 1);
  const auto set = server.ask({"CONFIG", "SET", setting, value});
  if (!set.ok()) return set.error();
  if (*set != "OK\n")
    return unsupported(fmt::format("the server does not take {} for {}", value, setting));
  return before;
}

std::string refusal_of(Backend& postgres, const std::string& statement) {
  const auto said =
      postgres.ask({"-XqAt", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=sqlstate", "-c", statement});
  if (said.ok()) return "";
  // "ERROR:  25006"
  const std::string& message = said.error().message;
  return message.substr(message.rfind(' ') + 1);
}

std::string refusal_of_write(Backend& server) {
  if (server.name() == "postgres")
    return refusal_of(server, "BEGIN; CREATE TABLE a_write_of_ours (); ROLLBACK");
  const auto said = server.ask({"SET", "assay-a-write-of-ours", "1", "PX", "1"});
  if (!said.ok()) return said.error().message;
  return *said == "OK\n" ? "" : said->substr(0, said->find(' '));
}

}  // namespace assay::faults
