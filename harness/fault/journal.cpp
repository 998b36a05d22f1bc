#include "harness/fault/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace assay {

using Json = nlohmann::json;

// Of all journals of this process: they may share a file.
static std::atomic<Journal::Number> last_number = 0;

Result<Journal> Journal::open(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, file_name);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) return Journal(descriptor);
  return Error{ErrorCode::unavailable,
               fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Journal::Journal(Journal&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

// One write a line, so that those of several writers do not mix.
Status Journal::write(const std::string& line) const {
  const std::string whole = line + "\n";
  const bool written =
      ::write(descriptor_, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size());
  if (written && ::fdatasync(descriptor_) == 0) return Done{};
  return Error{ErrorCode::unavailable,
               fmt::format("cannot write the journal of faults: {}", std::strerror(errno))};
}

Result<Journal::Number> Journal::begins(std::string_view fault) {
  const Number number = ++last_number;
  const Status written = write(Json{{"begins", number}, {"fault", fault}}.dump());
  return written.ok() ? Result<Number>(number) : Result<Number>(written.error());
}

Result<Journal::Number> Journal::promise(const Remedy& remedy) {
  const Number number = ++last_number;
  const Status written =
      write(Json{{"promised", number}, {"remedy", remedy.kind}, {"fields", remedy.fields}}.dump());
  return written.ok() ? Result<Number>(number) : Result<Number>(written.error());
}

Status Journal::done(Number number) { return write(Json{{"done", number}}.dump()); }

Debts Journal::debts(const std::string& folder) {
  std::map<Number, std::string> faults;
  std::map<Number, Remedy> remedies;
  std::ifstream in(fmt::format("{}/{}", folder, file_name));
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object()) continue;
    try {
      if (json.contains("begins")) faults[json.at("begins")] = json.at("fault");
      if (json.contains("promised"))
        remedies[json.at("promised")] = {
            json.at("remedy"), json.at("fields").get<std::map<std::string, std::string>>()};
      if (json.contains("done")) {
        faults.erase(json.at("done").get<Number>());
        remedies.erase(json.at("done").get<Number>());
      }
    } catch (const Json::exception&) {
      continue;
    }
  }
  Debts debts;
  for (auto& [number, fault] : faults) debts.faults.push_back(std::move(fault));
  for (auto& [number, remedy] : remedies) debts.remedies.push_back(std::move(remedy));
  std::ranges::reverse(debts.remedies);
  return debts;
}

}  // namespace assay
