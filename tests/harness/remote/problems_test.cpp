#include "harness/remote/problems.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/remote/schema.h"

namespace assay::protocol {
namespace {

const std::string job = R"({"id":"j","queue":"q","type":"t","payload":"aGk=","state":"ready"})";
const std::string stateless = R"({"id":"j","queue":"q","type":"t","payload":""})";
const std::string full =
    R"({"id":"j","queue":"q","type":"t","payload":"AP8=","run_at_ms":1,"max_attempts":3,)"
    R"("timeout_ms":5,"key":"k","priority":-1,"attempts":2,"last_error":"e","created_at_ms":0,)"
    R"("state":"dead","lease":{"token":"t","expires_at_ms":9,"worker":null},)"
    R"("dead":{"reason":"r","error":null,"at_ms":8}})";

// The least that each operation may answer.
const std::map<std::string, std::string, std::less<>>& good_answers() {
  static const std::map<std::string, std::string, std::less<>> answers{
      {"hello", R"({"protocol":1,"profile":{}})"},
      {"setup", "{}"},
      {"teardown", "{}"},
      {"open", "{}"},
      {"close", "{}"},
      {"now", R"({"now_ms":1893456000000})"},
      {"advance", R"({"now_ms":-1})"},
      {"enqueue", R"({"id":""})"},
      {"reserve", R"({"claims":[{"job":)" + stateless + R"(,"token":"t","expires_at_ms":1}]})"},
      {"extend", R"({"expires_at_ms":1})"},
      {"ack", "{}"},
      {"retry", "{}"},
      {"fail", "{}"},
      {"nack", R"({"state":"dead"})"},
      {"cancel", R"({"state":"cancelled"})"},
      {"pause", "{}"},
      {"resume", "{}"},
      {"get", R"({"job":)" + job + "}"},
      {"list", R"({"jobs":[)" + job + "]}"},
      {"dead", R"({"entries":[{"job_id":"j","job":)" + stateless + R"(,"at_ms":1}]})"},
      {"requeue", R"({"job_id":"j"})"},
  };
  return answers;
}

std::string success(const std::string& ok) { return R"({"id":7,"ok":)" + ok + "}"; }

std::vector<std::string> told_of(std::string_view op, const std::string& line) {
  std::vector<std::string> all;
  for (const Problem& problem : problems_of_answer(op, line, 7)) all.push_back(told(problem));
  return all;
}

using Told = std::vector<std::string>;

TEST(ProblemsOfAnswer, AreNoneOfTheLeastAnswerOfEveryOperation) {
  for (const Operation& operation : operations()) {
    const auto answer = good_answers().find(operation.name);
    ASSERT_NE(answer, good_answers().end()) << operation.name;
    EXPECT_EQ(told_of(operation.name, success(answer->second)), Told{}) << operation.name;
  }
}

TEST(ProblemsOfAnswer, AreNoneOfFullAnswersAndOfFieldsThatNobodyKnows) {
  EXPECT_EQ(told_of("get", success(R"({"job":)" + full + R"(,"more":[1.5]})")), Told{});
  EXPECT_EQ(told_of("list", success(R"({"jobs":[],"cursor":null})")), Told{});
  EXPECT_EQ(told_of("nack", success(R"({"state":"ready","run_at_ms":null})")), Told{});
  EXPECT_EQ(told_of("ack", R"( { "ok" : {"x": 1} , "id" : 7, "error": null, "at": 3 } )"), Told{});
  EXPECT_EQ(told_of("hello", success(R"({"protocol":1,"name":"n","version":null,"profile":)"
                                     R"({"base":"weave","order":"none","unknown":1}})")),
            Told{});
}

TEST(ProblemsOfAnswer, AreNoneOfRefusals) {
  for (const Name& code : find_names("code")->values)
    EXPECT_EQ(told_of("ack", R"({"id":7,"error":{"code":")" + std::string(code.name) + R"("}})"),
              Told{});
  EXPECT_EQ(told_of("ack", R"({"id":7,"error":{"code":"lease_lost","reason":"expired",)"
                           R"("message":"m","definite":false}})"),
            Told{});
}

TEST(ProblemsOfAnswer, NameEveryRequiredFieldThatIsMissing) {
  for (const Operation& operation : operations()) {
    Told expected;
    for (const Problem& problem : problems_of_answer(operation.name, success("{}"), 7)) {
      EXPECT_EQ(problem.found, "nothing");
      expected.push_back(problem.path);
    }
    Told required;
    for (const Field& field : operation.ok)
      if (field.need == Need::required) required.push_back("ok." + std::string(field.name));
    EXPECT_EQ(expected, required) << operation.name;
  }
}

TEST(ProblemsOfAnswer, AreOfTheLineAsAWhole) {
  EXPECT_EQ(told_of("ack", ""), Told{"line: expected JSON, found an empty line"});
  EXPECT_EQ(told_of("ack", "hello\x1b[2J"),
            Told{R"(line: expected JSON, found something else at offset 0: hello\x1b[2J)"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"ok":{})"),
            Told{R"(line: expected JSON, found something else at offset 15: {"id":7,"ok":{})"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"ok":{}} {"id":8,"ok":{}})"),
            Told{R"(line: expected one JSON object a line, found more at offset 16:  )"
                 R"({"id":8,"ok":{}})"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"ok":{}} 12)"),
            Told{"line: expected one JSON object a line, found more at offset 16:  12"});
  EXPECT_EQ(told_of("ack", "{\"id\":7,\"ok\":{\"\xff\":1}}"),
            Told{R"(line: expected UTF-8, found another byte at offset 15: )"
                 R"({"id":7,"ok":{"\xff":1}})"});
  EXPECT_EQ(told_of("ack", "[7]"), Told{"line: expected a JSON object, found [7]"});
  EXPECT_EQ(told_of("ack", "null"), Told{"line: expected a JSON object, found null"});
  EXPECT_EQ(told_of("ack", R"({"id":1e999,"ok":{}})").size(), 1u);
}

TEST(ProblemsOfAnswer, AreOfLinesWithoutMeasure) {
  const std::string blank(longest_line, ' ');
  EXPECT_EQ(told_of("ack", success("{}") + blank).at(0).substr(0, 48),
            "line: expected at most 16777216 bytes, found 167");
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(told_of("ack", deep).at(0).substr(0, 65),
            "line: expected nesting of at most 100 levels, found 1000000 level");
  EXPECT_EQ(told_of("ack", success(R"({"x":")" + deep + R"("})")), Told{});  // within a text
}

TEST(ProblemsOfAnswer, AreOfTheEnvelope) {
  EXPECT_EQ(told_of("ack", R"({"id":8,"ok":{}})"), Told{"id: expected 7, the request's, found 8"});
  EXPECT_EQ(told_of("ack", R"({"id":"7","ok":{}})"),
            Told{R"(id: expected 7, the request's, found "7")"});
  EXPECT_EQ(told_of("ack", R"({"id":7.0,"ok":{}})"),
            Told{"id: expected 7, the request's, found 7.0"});
  EXPECT_EQ(told_of("ack", R"({"ok":{}})"), Told{"id: expected 7, the request's, found nothing"});
  EXPECT_EQ(told_of("ack", R"({"id":7})"),
            Told{"line: expected either `ok` or `error`, found neither"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"ok":{},"error":{"code":"closed"}})"),
            Told{"line: expected either `ok` or `error`, found both"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"ok":true})"), Told{"ok: expected an object, found true"});
  EXPECT_EQ(told_of("ack", R"({"id":7,"error":"closed"})"),
            Told{R"(error: expected an object, found "closed")"});
}

TEST(ProblemsOfAnswer, AreOfErrors) {
  const Told none = told_of("ack", R"({"id":7,"error":{}})");
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].substr(0, 38), "error.code: expected one of invalid, n");
  const Told unknown = told_of("ack", R"({"id":7,"error":{"code":"lost"}})");
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].substr(unknown[0].size() - 13), R"(, found "lost")" + 1);
  EXPECT_EQ(told_of("ack", R"({"id":7,"error":{"code":"lease_lost","reason":"unstated",)"
                           R"("message":5,"definite":"no"}})"),
            (Told{R"(error.reason: expected one of not_held, expired, mismatch, found "unstated")",
                  "error.message: expected a text, found 5",
                  R"(error.definite: expected true or false, found "no")"}));
}

TEST(ProblemsOfAnswer, AreOfFieldsDeepInside) {
  EXPECT_EQ(
      told_of("reserve",
              success(R"({"claims":[{"job":{"id":1,"queue":"q","type":null,"payload":"a"},)"
                      R"("token":"t","attempt":1.5,"expires_at_ms":"soon"},7]})")),
      (Told{"ok.claims[0].job.id: expected a text, found 1",
            "ok.claims[0].job.type: expected a text, found null",
            R"(ok.claims[0].job.payload: expected bytes as base64 with padding, found "a")",
            R"(ok.claims[0].expires_at_ms: expected an instant: whole Unix milliseconds, found )"
            R"("soon")",
            "ok.claims[0].attempt: expected a whole number of 64 bits, found 1.5",
            "ok.claims[1]: expected an object, found 7"}));
  EXPECT_EQ(told_of("reserve", success(R"({"claims":{}})")),
            Told{"ok.claims: expected a list, found {}"});
  EXPECT_EQ(told_of("list", success(R"({"jobs":[)" + stateless + "]}")).at(0).substr(0, 17),
            "ok.jobs[0].state:");
  EXPECT_EQ(told_of("get", success(R"({"job":)" + job.substr(0, job.size() - 1) +
                                   R"(,"lease":{},"dead":[]}})"))
                .size(),
            3u);
  EXPECT_EQ(told_of("now", success(R"({"now_ms":9223372036854775808})")).size(), 1u);
  EXPECT_EQ(told_of("now", success(R"({"now_ms":9223372036854775807})")), Told{});
}

TEST(ProblemsOfAnswer, AreOfHello) {
  EXPECT_EQ(told_of("hello", success(R"({"protocol":2,"profile":{}})")),
            Told{"ok.protocol: expected 1, found 2"});
  EXPECT_EQ(told_of("hello", success(R"({"protocol":1,"profile":{"order":"lifo"}})")),
            Told{"ok.profile: expected a profile, found profile: order is lifo, which is none of "
                 "none, best_effort, fifo"});
  EXPECT_EQ(told_of("hello", success(R"({"protocol":1,"profile":{"lease_ttl_ms":0.5}})")).size(),
            1u);
  EXPECT_EQ(told_of("hello", success(R"({"protocol":1,"profile":"weave"})")),
            Told{R"(ok.profile: expected an object, found "weave")"});
}

TEST(ProblemsOfAnswer, AreNeverMoreThanAPersonReads) {
  std::string claims = "1";
  for (int i = 0; i < 1000; ++i) claims += ",1";
  EXPECT_EQ(told_of("reserve", success(R"({"claims":[)" + claims + "]}")).size(), most_problems);
}

TEST(ProblemsOfAnswer, OfAnUnknownOperationLookAtTheEnvelopeOnly) {
  EXPECT_EQ(told_of("frobnicate", success(R"({"claims":7})")), Told{});
  EXPECT_EQ(told_of("frobnicate", R"({"id":7,"error":{"code":"x"}})").size(), 1u);
}

TEST(ProblemsOfRequest, AreOfItsFields) {
  EXPECT_TRUE(problems_of_request(R"({"id":1,"op":"hello","protocol":1})").empty());
  EXPECT_TRUE(problems_of_request(R"({"id":1,"op":"ack","session":"s","now_ms":1,"job_id":"j",)"
                                  R"("token":"t"})")
                  .empty());
  const auto problems = problems_of_request(R"({"op":"enqueue","now_ms":1,"job":{"queue":"q"}})");
  Told paths;
  for (const Problem& problem : problems) paths.push_back(problem.path);
  EXPECT_EQ(paths, (Told{"id", "session", "job.type", "job.payload"}));
  EXPECT_EQ(problems_of_request(R"({"id":1,"op":"frobnicate"})").at(0).path, "op");
}

TEST(Excerpt, IsShortAndPrintable) {
  EXPECT_EQ(excerpt("plain"), "plain");
  EXPECT_EQ(excerpt(std::string(81, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(excerpt("a\n\x1b\xff\xc2\x9b z"), R"(a\x0a\x1b\xff\xc2\x9b z)");
  EXPECT_EQ(excerpt("äöü", 2), "äö...");
}

}  // namespace
}  // namespace assay::protocol
