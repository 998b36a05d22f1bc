#include "harness/backend/detail/shell.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "harness/remote/process.h"

namespace assay::detail {

static constexpr double patience_seconds = 120;

Status run_shell(const std::string& line) {
  auto process = Process::start({{"/bin/sh", "-c", line}, {}, {}});
  if (!process) return process.error();
  std::string said;
  for (bool open = true; open;) {
    pollfd ready{(*process)->log(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience_seconds * 1000)) == 0) break;
    char bytes[1024];
    const ssize_t got = ::read((*process)->log(), bytes, sizeof bytes);
    if (got > 0)
      said.append(bytes, static_cast<std::size_t>(got));
    else
      open = got < 0 && (errno == EAGAIN || errno == EINTR);
  }
  const auto ending = (*process)->ending(patience_seconds);
  if (ending == "ended with status 0") return Done{};
  while (!said.empty() && said.back() == '\n') said.pop_back();
  said.erase(0, said.rfind('\n') + 1);
  return Error{ErrorCode::unavailable, said.empty() ? ending.value_or("it does not end") : said};
}

}  // namespace assay::detail
