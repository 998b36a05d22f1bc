// Journal: what is made to go wrong outside of this process, written down before it is done, so
// that whoever comes after us can put it right if we are killed.
//
// A file of lines in the run's scratch folder, each on disk before the call returns; several may
// write to one. Processes that we started need no line: they die with us, and those that were kept
// from it are found without (harness/fault/leftovers.h).
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"

namespace assay {

// How something is put right, by somebody who knows nothing but this.
struct Remedy {
  std::string kind;                           // "remove_proxy"
  std::map<std::string, std::string> fields;  // {"url": ..., "proxy": ...}
  bool operator==(const Remedy&) const = default;
};

// What a journal of a run that is over still owes.
struct Debts {
  std::vector<std::string> faults;  // that were on, as they began
  std::vector<Remedy> remedies;     // the last first
};

class Journal {
 public:
  static constexpr std::string_view file_name = "journal";

  // In a folder that exists; the file need not.
  static Result<Journal> open(const std::string& folder);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  using Number = std::uint64_t;
  Result<Number> begins(std::string_view fault);  // with whom it befalls, for people
  Result<Number> promise(const Remedy& remedy);
  // Of either: it is over, or kept.
  Status done(Number number);

  // Of the run whose folder this is. A line that was cut off by the end of the run was not acted
  // on.
  static Debts debts(const std::string& folder);

 private:
  explicit Journal(int descriptor) : descriptor_(descriptor) {}
  Status write(const std::string& line) const;

  int descriptor_;
};

}  // namespace assay
