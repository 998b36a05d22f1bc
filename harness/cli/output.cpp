#include "harness/cli/output.h"

#include <cerrno>
#include <cstring>
#include <iostream>

namespace assay::cli {

Output::Output() : before_(std::cout.rdbuf(this)) {}

Output::~Output() { std::cout.rdbuf(before_); }

std::optional<std::string> Output::failure() {
  std::cout.flush();
  if (why_ == 0 || why_ == EPIPE) return std::nullopt;
  return std::strerror(why_);
}

bool Output::remember(bool written) {
  if (!written && why_ == 0) why_ = errno;
  return written;
}

Output::int_type Output::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  return remember(std::fputc(letter, stdout) != EOF) ? letter : traits_type::eof();
}

std::streamsize Output::xsputn(const char* text, std::streamsize size) {
  const auto wanted = static_cast<std::size_t>(size);
  const std::size_t written = std::fwrite(text, 1, wanted, stdout);
  remember(written == wanted);
  return static_cast<std::streamsize>(written);
}

int Output::sync() { return remember(std::fflush(stdout) == 0) ? 0 : -1; }

}  // namespace assay::cli
