#include "harness/cli/queue/stress_history.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/history/jsonl.h"

namespace assay::cli::queue {

Result<std::unique_ptr<StressHistory>> StressHistory::make(const std::string& path,
                                                           const History& of_nothing_yet) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  std::unique_ptr<StressHistory> file(new StressHistory);
  file->out_.open(path, std::ios::binary | std::ios::trunc);
  file->out_ << header_line(of_nothing_yet) << "\n";
  if (!file->out_.flush())
    return Error{ErrorCode::internal, fmt::format("the history {} cannot be written", path)};
  return file;
}

void StressHistory::write(const std::vector<Event>& events,
                          const std::vector<std::string>& clients) {
  for (const Event& event : events) out_ << event_line(event, clients) << "\n";
}

}  // namespace assay::cli::queue
