#include "reports/junit.h"

#include <gtest/gtest.h>

#include "tests/reports/golden.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(JUnitReport, IsTheGoldenFile) {
  tests::expect_golden("junit.xml", junit_xml(tests::made_up_report()));
}

TEST(JUnitReport, HasOneCaseARuleAndOneForTheRun) {
  const Report report = tests::made_up_report();
  const std::string xml = junit_xml(report);
  EXPECT_EQ(count(xml, "<testcase "), report.rules.size() + report.not_tested.size() + 1);
  EXPECT_EQ(count(xml, "<failure "), 1u);
}

TEST(JUnitReport, HasNoFailureInACertificate) {
  const std::string xml = junit_xml(tests::made_up_certificate());
  EXPECT_EQ(count(xml, "<failure "), 0u);
  EXPECT_EQ(count(xml, "<error "), 0u);
  EXPECT_EQ(count(xml, "<skipped "), 2u);
}

TEST(JUnitReport, CallsAVoidRunAnError) {
  Report report = tests::made_up_certificate();
  report.canary_convicted = false;
  EXPECT_EQ(count(junit_xml(report), "<error "), 1u);
}

TEST(JUnitReport, EscapesAndLeavesControlCharactersOut) {
  Report report = tests::made_up_report();
  report.driver = "a<b>&\"c\"\x02";
  report.rules[2].story = "null \x01 escape \x1b ]]> \xff \xc3\xa9 \xe2\x82";
  const std::string xml = junit_xml(report);
  EXPECT_EQ(xml.find_first_of("\x01\x02\x1b"), xml.npos);
  EXPECT_EQ(xml.find('\xff'), xml.npos);
  EXPECT_NE(xml.find("a&lt;b&gt;&amp;&quot;c&quot;\""), xml.npos);
  EXPECT_NE(xml.find("]]&gt; ? \xc3\xa9 ??"), xml.npos);
}

}  // namespace
}  // namespace assay
