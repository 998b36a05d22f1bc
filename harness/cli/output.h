// Output: stdout behind std::cout, with a memory of why a write to it failed.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <optional>
#include <streambuf>
#include <string>

namespace assay::cli {

// From its making to its end std::cout writes through it. One at a time.
class Output final : private std::streambuf {
 public:
  Output();
  ~Output() override;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Writes what is left. Why not all of it was written; nothing where it was, or where the reader
  // of a pipe went away (`| head`), which is no trouble.
  std::optional<std::string> failure();

 private:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  bool remember(bool written);

  std::streambuf* before_;
  int why_ = 0;  // errno of the first write that failed
};

}  // namespace assay::cli
