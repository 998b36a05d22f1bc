#include "reports/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace assay::files {

namespace fs = std::filesystem;

static Error cannot(std::string_view verb, const fs::path& path, int why) {
  return Error{ErrorCode::unavailable,
               fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(why))};
}

Status write_whole(const fs::path& path, std::string_view bytes) {
  const fs::path beside = path.string() + fmt::format(".tmp{}", getpid());
  errno = 0;
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code ignored;
  if (!out) {
    const int why = errno;
    fs::remove(beside, ignored);
    return cannot("write", path, why);
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  if (!failed) return Done{};
  fs::remove(beside, ignored);
  return cannot("write", path, failed.value());
}

Result<std::string> read_whole(const fs::path& path) {
  errno = 0;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return cannot("read", path, EISDIR);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in.is_open() || in.bad()) return cannot("read", path, errno);
  return text.str();
}

std::string file_name_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    out += plain ? c : '-';
  }
  if (out.size() > 150) out.resize(150);
  if (out.empty() || out.front() == '.') out.insert(0, "_");
  return out;
}

}  // namespace assay::files
