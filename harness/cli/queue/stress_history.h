// StressHistory: the file that a history goes to while it happens.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace assay::cli::queue {

class StressHistory {
 public:
  // Folders are made where they are missing. The history says what the header is to say.
  static Result<std::unique_ptr<StressHistory>> make(const std::string& path,
                                                     const History& of_nothing_yet);

  void write(const std::vector<Event>& events, const std::vector<std::string>& clients);
  // Whether all of it could be written.
  bool is_whole() { return static_cast<bool>(out_.flush()); }

 private:
  StressHistory() = default;
  std::ofstream out_;
};

}  // namespace assay::cli::queue
