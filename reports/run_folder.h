// RunFolder: the files that a certification leaves behind.
//
//   report.json  junit.xml       the verdicts, written at the end
//   tokens.txt                   a line a case, on disk before the case runs: a crash loses nothing
//   histories/CASE.jsonl         of scenarios, of the first convicted cases of each rule, and of
//                                each FAIL's smallest plan; of every case where asked for
//   plans/RULE.plan.json         what each FAIL's token carries, for people to read and edit
//   plans/*.plan.json            plans of other cases that are too long for a token
//   logs/driver-N.log            what the driver's processes wrote to stderr, the first of it
//
// Each file but tokens.txt and the logs is there complete or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/audit/audit.h"
#include "harness/run/certify_all.h"

namespace assay {

struct RunFolderOptions {
  std::string driver;
  std::optional<std::string> out;  // this very folder; absent: <parent>/<time>-<driver>
  std::string parent = "runs";     // where `latest` points to the newest
  bool keep_histories = false;
};

class RunFolder final : public CertifyListener {
 public:
  // Afterwards the folder exists and takes files; what an earlier run left in it is gone. The error
  // is a sentence for people.
  static Result<std::unique_ptr<RunFolder>> open(const RunFolderOptions& options,
                                                 const Clock& clock);

  const std::string& path() const { return path_text_; }

  void case_begins(const Plan& plan, const std::string& token) override;
  void case_ends(const Plan& plan, const History& history, const Judgement& judgement) override;

  // Writes what is left. Each FAIL gets its history file's path, and its plan file's path in place
  // of a token that is too long. What could not be written, now or earlier, is a trouble of the
  // report from then on: it is certified nowhere, neither in its files nor by who reads it next.
  Status store(Report& report, const AuditReport* audit = nullptr);

  // The same of a run of several drivers, each of which has a folder of its own in this one.
  Status store(AllReport& report);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  RunFolder(std::filesystem::path path, bool keep_histories);

  Status prepare();
  void note(const Status& status);
  template <class Any>  // a Report or an AllReport
  void own_up(Any& report);
  template <class Any, class... Audit>
  Status write_verdicts(Any& report, const Audit*... audit);
  void keep_evidence(RuleReport& rule);
  bool worth_keeping(const Plan& plan, const Judgement& judgement);
  Status write_history(const std::string& name, const History& history);
  // Returns the path of the file.
  Result<std::string> write_plan(const std::string& name, const ReplayToken& token);
  // The token itself, or the path of the plan file that now holds it.
  std::string short_token(const std::string& token);

  std::filesystem::path path_;
  std::string path_text_;
  bool keep_histories_;
  std::unique_ptr<std::FILE, CloseFile> tokens_;
  std::map<std::string, int, std::less<>> kept_;  // convicted cases by rule
  std::optional<Error> trouble_;                  // the first; told by store
  bool owned_up_ = false;                         // the report knows of it
};

}  // namespace assay
