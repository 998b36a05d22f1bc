// WorkLines: what a worker does, as lines for people or for programs. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "engine/events.h"
#include "harness/cli/queue/teller.h"

namespace assay::cli::queue {

class WorkLines final : public engine::Observer {
 public:
  enum class Style { none, text, json };

  // The teller is borrowed for life.
  WorkLines(Teller& teller, Style style) : teller_(teller), style_(style) {}

  void see(const engine::Event& event) override;

  // What a job printed, or echoed. By anybody.
  void said(const Job& job, const std::string& output);

 private:
  Teller& teller_;
  const Style style_;
  std::mutex mutex_;  // a worker and a scheduler share it
  std::map<Token, std::string> types_;  // of the deliveries that are known, by what they hold
};

// For people; nothing where it is not worth a line.
std::optional<std::string> line_of(const engine::Event& event, const std::string& type);
std::string json_of(const engine::Event& event, const std::string& type);

}  // namespace assay::cli::queue
