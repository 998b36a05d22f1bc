// QueueTest: `assay queue` on a file of its own, used as a person uses it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::cli {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
using tests::Ended;

class QueueTest : public tests::CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    at("sqlite:" + (home_ / "jobs.db").string() + "?synchronous=off");
  }
  void at(const std::string& url) { environment_.extra["ASSAY_QUEUE_URL"] = url; }

  Ended queue(Words words) const {
    words.insert(words.begin(), "queue");
    return assay(words);
  }
  // What it printed, where it succeeded.
  std::string done(const Words& words) const {
    const Ended ended = queue(words);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return ended.out;
  }
  std::string enqueued(Words words) const {
    words.insert(words.begin(), "enqueue");
    std::string id = done(words);
    if (!id.empty()) id.pop_back();
    return id;
  }
  Json inspected(const std::string& id) const {
    return Json::parse(done({"inspect", id, "--json"}));
  }
  std::string state(const std::string& id) const { return inspected(id)["state"]; }
  Json stats() const { return Json::parse(done({"stats", "--json"})); }
  Ended drained(Words words = {}) const {
    words.insert(words.begin(), {"work", "--drain"});
    return queue(words);
  }
  void refused(const Words& words, const std::string& part) const {
    Words all{"queue"};
    all.insert(all.end(), words.begin(), words.end());
    expect_usage(all, part);
  }
  std::string file(const std::string& name, const std::string& bytes) const {
    const auto path = home_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace assay::cli
