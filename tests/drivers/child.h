// Child: a forked process of a test, that tells its parent lines.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "harness/contract/check.h"

namespace assay {

// Requires: nobody has a store open while it starts.
class Child {
 public:
  using Tell = std::function<void(const std::string&)>;

  explicit Child(const std::function<void(const Tell&)>& work) {
    int ends[2];
    CHECK(::pipe(ends) == 0);
    pid_ = ::fork();
    CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::close(ends[0]);
      work([&](const std::string& line) {
        const std::string whole = line + "\n";
        CHECK(::write(ends[1], whole.data(), whole.size()) == static_cast<ssize_t>(whole.size()));
      });
      ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    ::close(ends[1]);
    out_ = ::fdopen(ends[0], "r");
  }
  ~Child() {
    if (out_) std::fclose(out_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), out_(std::exchange(other.out_, nullptr)) {}
  Child& operator=(Child&&) = delete;

  // The next line, or nothing when the child is gone.
  std::optional<std::string> next() {
    char line[256];
    if (!std::fgets(line, sizeof line, out_)) return std::nullopt;
    std::string text(line);
    text.pop_back();
    return text;
  }

  void kill() { ::kill(pid_, SIGKILL); }

  int wait() {
    int status = 0;
    CHECK(::waitpid(std::exchange(pid_, -1), &status, 0) > 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
  FILE* out_ = nullptr;
};

}  // namespace assay
