#include "reports/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "harness/history/jsonl.h"
#include "reports/file.h"
#include "reports/json.h"
#include "reports/junit.h"

namespace assay {

namespace fs = std::filesystem;

static constexpr int kept_cases_per_rule = 3;

static Error cannot(const fs::path& path, std::string_view why) {
  return Error{ErrorCode::unavailable,
               fmt::format("cannot write the run folder {}: {}; name another with --out DIR",
                           path.string(), why)};
}

// Points <parent>/latest to the folder; replaced in one step, so that it always points somewhere.
static void point_latest(const fs::path& folder) {
  const fs::path latest = folder.parent_path() / "latest";
  const fs::path beside = folder.parent_path() / fmt::format(".latest.{}", getpid());
  std::error_code ignored;
  fs::remove(beside, ignored);
  fs::create_directory_symlink(folder.filename(), beside, ignored);
  if (ignored) return;
  fs::rename(beside, latest, ignored);
  if (ignored) fs::remove(beside, ignored);
}

static Result<fs::path> fresh_folder(const RunFolderOptions& options, const Clock& clock) {
  std::error_code failed;
  fs::create_directories(options.parent, failed);
  if (failed) return cannot(options.parent, failed.message());
  const auto second = std::chrono::time_point_cast<std::chrono::seconds>(clock.now());
  const std::string name =
      fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(std::chrono::system_clock::to_time_t(second)),
                  files::file_name_of(options.driver));
  for (int i = 1; i <= 1000; ++i) {
    const fs::path path =
        fs::path(options.parent) / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(path, failed)) return path;
    if (failed) return cannot(path, failed.message());
  }
  return cannot(fs::path(options.parent) / name, "a thousand of that name exist");
}

RunFolder::RunFolder(fs::path path, bool keep_histories)
    : path_(std::move(path)), path_text_(path_.string()), keep_histories_(keep_histories) {}

Result<std::unique_ptr<RunFolder>> RunFolder::open(const RunFolderOptions& options,
                                                   const Clock& clock) {
  fs::path path;
  if (options.out) {
    path = *options.out;
    while (path.has_relative_path() && !path.has_filename()) path = path.parent_path();
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed) return cannot(path, failed.message());
  } else {
    Result<fs::path> fresh = fresh_folder(options, clock);
    if (!fresh) return fresh.error();
    path = *fresh;
  }
  std::unique_ptr<RunFolder> folder(new RunFolder(path, options.keep_histories));
  if (Status ready = folder->prepare(); !ready) return ready.error();
  if (!options.out) point_latest(path);
  return folder;
}

Status RunFolder::prepare() {
  std::error_code failed;
  if (fs::exists(path_ / "tokens.txt", failed)) {  // an earlier run's folder, named again
    for (const char* name : {"report.json", "junit.xml", "histories", "plans", "logs"})
      fs::remove_all(path_ / name, failed);
  }
  fs::create_directories(path_ / "histories", failed);
  if (failed) return cannot(path_, failed.message());
  tokens_.reset(std::fopen((path_ / "tokens.txt").c_str(), "w"));
  if (!tokens_) return cannot(path_, std::strerror(errno));
  return Done{};
}

void RunFolder::note(const Status& status) {
  if (!status && !trouble_) trouble_ = status.error();
}

template <class Any>
void RunFolder::own_up(Any& report) {
  if (!trouble_ || owned_up_) return;
  owned_up_ = true;
  report.troubles.push_back(trouble_->message);
  report.exit_status = exit_status_of(report);
  report.certified = report.exit_status == 0;
}

std::string RunFolder::short_token(const std::string& token) {
  Result<std::string> stored = store_token(token, (path_ / "plans").string());
  if (stored) return *stored;
  if (stored.error().code != ErrorCode::invalid) note(stored.error());
  return token;
}

void RunFolder::case_begins(const Plan& plan, const std::string& token) {
  const std::string text = short_token(token);
  if (std::fprintf(tokens_.get(), "%s %s\n", plan.name.c_str(), text.c_str()) < 0 ||
      std::fflush(tokens_.get()) != 0)
    note(cannot(path_ / "tokens.txt", std::strerror(errno)));
}

bool RunFolder::worth_keeping(const Plan& plan, const Judgement& judgement) {
  bool keep = keep_histories_ || plan.name.starts_with("scenario/");
  for (const Finding& finding : judgement.findings) {
    int& kept = kept_[finding.rule];
    if (kept < kept_cases_per_rule) keep = true;
  }
  if (keep)
    for (const Finding& finding : judgement.findings) ++kept_[finding.rule];
  return keep;
}

void RunFolder::case_ends(const Plan& plan, const History& history, const Judgement& judgement) {
  if (worth_keeping(plan, judgement)) note(write_history(files::file_name_of(plan.name), history));
}

Status RunFolder::write_history(const std::string& name, const History& history) {
  std::ostringstream text;
  write_jsonl(history, text);
  return files::write_whole(path_ / "histories" / (name + ".jsonl"), text.str());
}

Result<std::string> RunFolder::write_plan(const std::string& name, const ReplayToken& token) {
  const fs::path path = path_ / "plans" / (name + ".plan.json");
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const Status written = files::write_whole(path, plan_file_text(token) + "\n");
  if (!written) return written.error();
  return path.string();
}

void RunFolder::keep_evidence(RuleReport& rule) {
  if (rule.history) {
    const Status written = write_history(rule.id, *rule.history);
    note(written);
    if (written) rule.history_file = (path_ / "histories" / (rule.id + ".jsonl")).string();
  }
  if (const Result<ReplayToken> token = decode_token(rule.token)) {
    const Result<std::string> file = write_plan(rule.id, *token);
    if (!file) note(file.error());
    if (file && rule.token.size() > token_max_length) rule.token = *file;
  }
}

template <class Any, class... Audit>
Status RunFolder::write_verdicts(Any& report, const Audit*... audit) {
  own_up(report);
  note(files::write_whole(path_ / "junit.xml", junit_xml(report, audit...)));
  own_up(report);
  const Status told = files::write_whole(path_ / "report.json", report_json(report, audit...));
  note(told);
  own_up(report);
  std::error_code ignored;
  if (!told) fs::remove(path_ / "junit.xml", ignored);  // it knows nothing of that
  if (trouble_) return *trouble_;
  return Done{};
}

Status RunFolder::store(Report& report, const AuditReport* audit) {
  for (RuleReport& rule : report.rules) keep_evidence(rule);
  return write_verdicts(report, audit);
}

Status RunFolder::store(AllReport& report) {
  if (report.likeness) keep_evidence(report.likeness->rule);
  return write_verdicts(report);
}

}  // namespace assay
