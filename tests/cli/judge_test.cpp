// assay judge: histories of anybody, judged from a file or a pipe.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* head = R"({"kind":"history","schema":1,"profile":"reference"})";
constexpr const char* enqueue =
    R"({"kind":"call","op":1,"client":"shop","now_ms":1000,"request":"enqueue","job":{"id":"a","queue":"q","type":"t"}})";
constexpr const char* enqueued = R"({"kind":"return","op":1,"outcome":"ok","ok":{"id":"a"}})";
constexpr const char* first =
    R"({"kind":"call","op":2,"client":"w1","now_ms":2000,"request":"reserve","queues":["q"],"lease_ms":30000})";
constexpr const char* first_gets =
    R"({"kind":"return","op":2,"outcome":"ok","ok":{"claims":[{"job":{"id":"a","queue":"q","type":"t"},"token":"one","version":1,"expires_at_ms":32000}]}})";
constexpr const char* second =
    R"({"kind":"call","op":3,"client":"w2","now_ms":9000,"request":"reserve","queues":["q"],"lease_ms":30000})";
constexpr const char* second_gets =
    R"({"kind":"return","op":3,"outcome":"ok","ok":{"claims":[{"job":{"id":"a","queue":"q","type":"t"},"token":"two","version":2,"expires_at_ms":39000}]}})";
constexpr const char* second_gets_nothing =
    R"({"kind":"return","op":3,"outcome":"ok","ok":{"claims":[]}})";

class JudgeTest : public tests::CliTest {
 protected:
  std::string file(const std::vector<std::string>& lines) {
    const std::string path = (home_ / "history.jsonl").string();
    std::ofstream out(path);
    for (const std::string& line : lines) out << line << "\n";
    return path;
  }

  const std::vector<std::string> double_delivery_{head,       enqueue, enqueued,   first,
                                                  first_gets, second,  second_gets};
  const std::vector<std::string> sound_{head,       enqueue, enqueued,           first,
                                        first_gets, second,  second_gets_nothing};
};

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(JudgeTest, ConvictsADoubleDeliveryAndShowsIt) {
  const tests::Ended ended = assay({"judge", file(double_delivery_)});
  EXPECT_EQ(ended.status, 1) << ended.err;
  expect_has(ended.out, "FAIL LEASE-2: While a lease is live nobody else receives the job.\n");
  expect_has(ended.out, "3. w1 reserves from \"q\" for 30 s: gets job A (\"a\") with token T1");
  expect_has(ended.out, "4. w2 reserves from \"q\" for 30 s: gets job A with token T2");
  expect_has(tests::last_line(ended.out), "CONVICTED: ");
  expect_has(tests::last_line(ended.out), "LEASE-2");
}

TEST_F(JudgeTest, ShowsWhereAStaleTokenCameFrom) {
  const tests::Ended ended = assay({"certify", "mutant:ack_takes_stale_token", "--rules", "FENCE-2",
                                    "--cases", "0", "--seed", "1", "--out", "run", "--quiet"});
  ASSERT_EQ(ended.status, 1) << ended.err;
  const tests::Ended judged = assay({"judge", "run/histories/FENCE-2.jsonl", "--rules", "FENCE-2"});
  EXPECT_EQ(judged.status, 1) << judged.err;
  expect_has(judged.out, "w1 acks job A with token T1: ok");
}

TEST_F(JudgeTest, ASoundHistoryHoldsAndSaysHowMuchItShowed) {
  const std::string path = file(sound_);
  const tests::Ended ended = assay({"judge", path});
  EXPECT_EQ(ended.status, 0) << ended.out;
  expect_has(ended.out, "VACUOUS");
  expect_has(tests::last_line(ended.out), "HOLDS: ");
  expect_has(tests::last_line(ended.out), " never triggered");
  EXPECT_EQ(assay({"judge", path, "--strict"}).status, 2);
  EXPECT_EQ(assay({"judge", path, "--rules", "LEASE-2", "--strict"}).status, 0);
  EXPECT_EQ(assay({"judge", "--rules", "LEASE-2", path}).status, 0);
  const tests::Ended nothing = assay({"judge", path, "--rules", "DLQ-2"});
  EXPECT_EQ(nothing.status, 2);
  expect_has(tests::last_line(nothing.out), "INCONCLUSIVE: ");
  expect_has(tests::last_line(nothing.out), "no rule was triggered");
}

// The lines between "```jsonl" and "```" of docs/history.md.
std::vector<std::string> documented_example() {
  std::ifstream page(ASSAY_SOURCE_DIR "/docs/history.md");
  std::vector<std::string> lines;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (is_inside && line == "```") break;
    if (is_inside) lines.push_back(line);
    if (line == "```jsonl") is_inside = true;
  }
  return lines;
}

TEST_F(JudgeTest, TheDocumentedExampleIsConvictedAsItIsSaid) {
  const std::vector<std::string> lines = documented_example();
  ASSERT_EQ(lines.size(), 10u);
  std::ofstream out(home_ / "example.jsonl");
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  const tests::Ended ended = assay({"judge", "example.jsonl", "--rules", "LEASE-2"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  std::ostringstream page;
  page << std::ifstream(ASSAY_SOURCE_DIR "/docs/history.md").rdbuf();
  const std::string shown = ended.out.substr(ended.out.find("FAIL LEASE-2: "));
  expect_has(page.str(), shown);
}

TEST_F(JudgeTest, QuietIsTheClosingLine) {
  EXPECT_TRUE(tests::is_one_line(assay({"judge", file(sound_), "--quiet"}).out));
}

TEST_F(JudgeTest, IsJsonWhereAskedTo) {
  const tests::Ended ended = assay({"judge", file(double_delivery_), "--json"});
  EXPECT_EQ(ended.status, 1);
  const Json report = Json::parse(ended.out);
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["events"], 6);
  EXPECT_EQ(report["operations"], 3);
  bool convicted = false;
  for (const Json& finding : report["findings"]) {
    if (finding["rule"] != "LEASE-2") continue;
    convicted = true;
    EXPECT_EQ(finding["ops"], (Json{2, 3}));
    EXPECT_EQ(finding["steps"].size(), 3u);
  }
  EXPECT_TRUE(convicted);
}

TEST_F(JudgeTest, WhatIsMissingFromAHistoryIsSaidAndLeavesItOpen) {
  std::vector<std::string> lines = sound_;
  lines.push_back(R"({"kind":"return","op":77,"outcome":"ok","ok":{}})");
  const tests::Ended ended = assay({"judge", file(lines)});
  EXPECT_EQ(ended.status, 2);
  expect_has(ended.out, "line 8: operation 77 ends, but it has not begun");
  expect_has(tests::last_line(ended.out), "the history does not tell everything that happened");
}

TEST_F(JudgeTest, WhatDoesNotMatterIsSaidAndJudgedOn) {
  std::vector<std::string> lines = sound_;
  lines.push_back(R"({"kind":"metric","depth":3})");
  lines.push_back(
      R"({"kind":"call","op":4,"client":"w1","now_ms":1500,"request":"get","job_id":"a"})");
  lines.push_back(R"({"kind":"ret)");
  const std::string path = file(lines);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const tests::Ended ended = assay({"judge", path});
  EXPECT_EQ(ended.status, 0) << ended.out;
  expect_has(ended.out, "line 8: \"metric\" is not a kind of line");
  expect_has(ended.out, "line 9: time runs backwards: the clock of w1 goes from 2000 to 1500");
  expect_has(ended.out, "line 9: operation 4 never ends");
  expect_has(ended.out, "line 10: the file is cut short");
  expect_has(ended.out, "1 with an unknown outcome");
}

TEST_F(JudgeTest, AHistoryWithoutAProfileNeedsOne) {
  const std::vector<std::string> bare(sound_.begin() + 1, sound_.end());
  const std::string path = file(bare);
  expect_usage({"judge", path}, "--profile");
  EXPECT_EQ(assay({"judge", path, "--profile", "reference"}).status, 0);
}

TEST_F(JudgeTest, WrongUsageIsSaidInASentence) {
  expect_usage({"judge"}, "needs a history");
  expect_usage({"judge", "nowhere.jsonl"}, "there is no file `nowhere.jsonl`");
  expect_usage({"judge", home_.string()}, "is a directory");
  expect_usage({"judge", file(sound_), "--profile", "weeve"}, "did you mean `weave`?");
  expect_usage({"judge", file(sound_), "--rules", "NOSUCH-*"}, "NOSUCH-*");
}

TEST_F(JudgeTest, WhatIsNoHistoryIsTrouble) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "the file is empty"},
      {{"hello"}, "line 1: is not a JSON object"},
      {{R"({"kind":"history","schema":2})"}, "line 1: schema: is 2"}};
  for (const auto& [lines, part] : cases) {
    const tests::Ended ended = assay({"judge", file(lines), "--profile", "reference"});
    EXPECT_EQ(ended.status, 3) << part;
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(tests::is_one_line(ended.err)) << ended.err;
    expect_has(ended.err, part);
  }
}

}  // namespace
}  // namespace assay::cli
