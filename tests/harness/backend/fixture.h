// BackendTest: backends in a scratch folder of the test's own, with a cache of its own.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/backend/backend.h"

namespace assay::backend_test {

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out;  // of both streams
};

inline Ended shell(const std::string& script) {
  Ended ended;
  FILE* pipe = ::popen(("{ " + script + "\n} 2>&1").c_str(), "r");
  char bytes[4096];
  for (std::size_t size = 0; (size = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;)
    ended.out.append(bytes, size);
  const int status = ::pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ended;
}

inline std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A variable that is as it was when this goes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class Folder {
 public:
  Folder() {
    std::string path = "/tmp/assay-test-XXXXXX";
    if (::access("/dev/shm", W_OK | X_OK) == 0) path = "/dev/shm/assay-test-XXXXXX";
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  fs::path path_;
};

// The processes that live below a folder: the server's, whatever its scripts know of them.
inline std::string processes_below(const std::string& folder) {
  return shell("find /proc/[0-9]*/cwd -maxdepth 0 -lname '" + folder +
               "/*' 2>/dev/null | cut -d/ -f3")
      .out;
}

inline bool is_empty_soon(const std::string& folder) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (processes_below(folder).empty()) return true;
    shell("sleep 0.01");
  }
  return false;
}

}  // namespace assay::backend_test
