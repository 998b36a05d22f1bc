// TerminalReport: a certification told to a person: what will be done, how far it is, one verdict a
// rule, the story of each conviction, and as the very last line of a failing run the command that
// replays it.
//
// Progress goes to `err`, everything else to `out`; both are borrowed for life.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "harness/audit/audit.h"
#include "harness/run/certify_all.h"
#include "reports/going_on.h"

namespace assay {

struct TerminalOptions {
  bool colour = false;            // escape sequences in `out`
  bool live = false;              // `err` is a terminal: one line, redrawn in place
  bool progress = true;           // without `live`: a plain line now and then
  bool verbose = false;           // every rule, not only those that did not pass
  bool quiet = false;             // only the closing lines
  std::size_t width = 100;        // columns
  std::string program = "assay";  // as the person called it
  std::string folder;             // where the run's files are
  std::string replay_options;     // what a replay needs besides the token: " --driver-url x"
};

class TerminalReport final : public CertifyListener {
 public:
  TerminalReport(std::ostream& out, std::ostream& err, TerminalOptions options);

  void begins(const CertifyOptions& run, std::size_t rules, std::size_t scenarios) override;
  void progress(std::uint64_t cases_done, std::optional<std::uint64_t> of, double seconds,
                std::size_t convicted) override;
  void fault(const FaultEvent& event) override;
  void shrinking(const std::string& rule) override;
  void convicted(const RuleReport& rule) override;

  const TerminalOptions& options() const { return options_; }

  // The end of the run.
  void tell(const Report& report);
  void tell(const AuditReport& report);

  // A run of several drivers: its head, then what is worked at, then what came of each, then all.
  void begins_all(const CertifyOptions& run, const std::vector<std::string>& drivers);
  void turns_to(const std::string& what);
  void skips(const SkippedDriver& skipped);
  void ends(const Report& report);
  void ends(const LikenessReport& report);
  void tell(const AllReport& report);

 private:
  void clear_line();
  void draw(const std::string& line);
  void draw_progress();

  std::ostream& out_;
  std::ostream& err_;
  TerminalOptions options_;
  std::string working_at_;  // one of several drivers
  GoingOn going_on_;
  struct {
    std::uint64_t cases_done = 0;
    std::optional<std::uint64_t> of;
    double seconds = 0;
    std::size_t convicted = 0;
  } so_far_;
  double time_limit_seconds_ = 0;
  double last_drawn_seconds_ = -1;
  bool drawn_ = false;
  bool filtered_ = false;
};

// A line a fault: how many there were to be, were begun and seen to take effect, and of one of them
// how that shows.
std::string fault_lines(std::span<const FaultTally> faults, std::size_t width);

// A word that a shell reads as it is.
std::string shell_quoted(const std::string& word);

}  // namespace assay
