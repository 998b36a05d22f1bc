// What the reports say of durability: by what it was shown, and by what not.
#include <gtest/gtest.h>

#include <sstream>

#include "reports/junit.h"
#include "reports/terminal.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

const char* const by_crashes = "crash, shown by 12 crashes of the process and 1 graceful restart";
const char* const not_by_power = "not shown under loss of power: it needs root";

DurabilityReport made_up() { return *tests::made_up_durable_certificate().durability; }

TEST(DurabilityInWords, NamesTheOutagesThatItWasShownBy) {
  EXPECT_EQ(shown(made_up()), by_crashes);
  DurabilityReport more = made_up();
  more.outages[1].times = 6;
  EXPECT_EQ(shown(more),
            "crash, shown by 12 crashes of the process, 6 losses of power and 1 graceful restart");
  EXPECT_TRUE(not_shown(more).empty());
}

TEST(DurabilityInWords, NamesTheOutagesThatItWasNotShownByAndWhy) {
  EXPECT_EQ(not_shown(made_up()), std::vector<std::string>{not_by_power});
  DurabilityReport nothing = made_up();
  for (OutageTally& outage : nothing.outages) outage.times = 0;
  EXPECT_EQ(shown(nothing), "crash is claimed, and was not shown");
  EXPECT_EQ(not_shown(nothing).size(), 3u);
}

TEST(DurabilityInWords, SaysThatItWasLost) {
  DurabilityReport lost = made_up();
  lost.lost = true;
  EXPECT_EQ(shown(lost),
            "crash is claimed, and was lost; 12 crashes of the process and 1 graceful restart lost "
            "nothing");
  lost.outages[0].lost = 2;
  EXPECT_EQ(shown(lost),
            "crash is claimed, and was lost in 2 crashes of the process; 10 crashes of the process "
            "and 1 graceful restart lost nothing");
}

TEST(DurabilityInWords, SaysThatNothingSurvivesWhereNothingIsClaimed) {
  DurabilityReport none = made_up();
  none.claimed = Durability::none;
  EXPECT_EQ(shown(none), "none: whatever was accepted may be gone when the store restarts");
  EXPECT_TRUE(not_shown(none).empty());
}

TEST(DurabilityInReports, IsToldOnTheTerminal) {
  std::ostringstream out, err;
  TerminalReport(out, err, {}).tell(tests::made_up_durable_certificate());
  EXPECT_NE(out.str().find("durability: " + std::string(by_crashes)), std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find(not_by_power), std::string::npos) << out.str();
  std::ostringstream other;
  TerminalReport(other, err, {}).tell(tests::made_up_certificate());
  EXPECT_EQ(other.str().find("durability: "), std::string::npos) << other.str();
}

TEST(DurabilityInReports, IsAPropertyInJUnit) {
  const std::string xml = junit_xml(tests::made_up_durable_certificate());
  EXPECT_NE(xml.find("name=\"durability\" value=\"" + std::string(by_crashes)), std::string::npos)
      << xml;
  EXPECT_NE(xml.find(not_by_power), std::string::npos) << xml;
  EXPECT_EQ(junit_xml(tests::made_up_certificate()).find("name=\"durability\""), std::string::npos);
}

}  // namespace
}  // namespace assay
