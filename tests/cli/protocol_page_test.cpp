// The reference page of the protocol tells only what the protocol takes.
#include "harness/cli/protocol_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/history_schema.h"
#include "harness/cli/protocol_schema.h"
#include "harness/remote/problems.h"
#include "harness/remote/schema.h"

namespace assay::cli {
namespace {

std::string told(const std::vector<protocol::Problem>& problems) {
  std::string all;
  for (const auto& problem : problems) all += protocol::told(problem) + "\n";
  return all;
}

TEST(ProtocolPage, ItsExampleIsTheProtocol) {
  std::istringstream lines(protocol_page());
  nlohmann::json request;
  int answers = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    > ")) {
      const std::string sent = line.substr(6);
      EXPECT_EQ(told(protocol::problems_of_request(sent)), "") << sent;
      request = nlohmann::json::parse(sent);
    } else if (line.starts_with("    < ")) {
      ++answers;
      EXPECT_EQ(told(protocol::problems_of_answer(request["op"].get<std::string>(), line.substr(6),
                                                  request["id"])),
                "")
          << line;
    }
  }
  EXPECT_GT(answers, 10);
}

TEST(ProtocolPage, HasEveryOperationObjectAndName) {
  const std::string page = protocol_page();
  const auto has = [&](const std::string& text) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  };
  for (const auto& operation : protocol::operations())
    has("\n### `" + std::string(operation.name) + "`\n");
  for (const auto& object : protocol::objects())
    has("\n### Object `" + std::string(object.name) + "`\n");
  for (const auto& names : protocol::name_lists()) has("\n### " + std::string(names.name) + "\n");
}

void expect_defined(const nlohmann::json& part, const nlohmann::json& defs) {
  if (part.is_object() && part.contains("$ref")) {
    const std::string target = part["$ref"];
    ASSERT_TRUE(target.starts_with("#/$defs/")) << target;
    EXPECT_TRUE(defs.contains(target.substr(8))) << target;
  }
  if (part.is_structured())
    for (const auto& child : part) expect_defined(child, defs);
}

TEST(ProtocolSchemaFile, RefersOnlyToWhatItDefines) {
  const auto schema = nlohmann::json::parse(protocol_schema());
  expect_defined(schema, schema["$defs"]);
  for (const auto& operation : protocol::operations())
    for (const char* kind : {"_request", "_answer"})
      EXPECT_TRUE(schema["$defs"].contains(std::string(operation.name) + kind)) << operation.name;
}

TEST(HistorySchemaFile, RefersOnlyToWhatItDefinesAndKnowsEveryRequest) {
  const auto schema = nlohmann::json::parse(history_schema());
  expect_defined(schema, schema["$defs"]);
  for (const auto& operation : protocol::operations()) {
    if (operation.phase != protocol::Phase::operation) continue;
    EXPECT_TRUE(schema["$defs"].contains(std::string(operation.name) + "_call")) << operation.name;
  }
}

}  // namespace
}  // namespace assay::cli
