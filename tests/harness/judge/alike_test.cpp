// What two drivers of one profile may do differently, and what not.
#include "harness/judge/alike.h"

#include <gtest/gtest.h>

#include <functional>

#include "drivers/memory/memory.h"
#include "harness/plan/generate.h"
#include "harness/run/run.h"
#include "tests/properties/told.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using told::Told;

using Story = std::function<void(Told&)>;

Comparison compared(const Story& one, const Story& other, std::string_view profile = "reference",
                    const std::function<void(Profile&)>& alter = {}) {
  History histories[2];
  const Story* stories[] = {&one, &other};
  for (int i = 0; i < 2; ++i) {
    Told told(profile);
    if (alter) alter(told.profile);
    (*stories[i])(told);
    histories[i] = told.history();
  }
  return compare(histories[0], histories[1]);
}

History memory_run(const Plan& plan, const Profile& profile, std::uint64_t seed) {
  VirtualClock clock;
  const auto driver = memory().make({profile, clock, seed, {}, ""}).value();
  return run(plan, *driver, "memory").history;
}

TEST(Alike, IsWhatDiffersInNamesAlone) {
  for (const std::string_view name : profile_names()) {
    Profile profile = *built_in_profile(name);
    profile.backoff = {Duration{0}, Duration{0}};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Plan plan = generate(profile, seed);
      const Comparison same = compare(memory_run(plan, profile, 1), memory_run(plan, profile, 2));
      EXPECT_EQ(same.likeness, Likeness::alike) << name << ", seed " << seed << ": " << same.why;
      EXPECT_GT(same.answers, 0u);
    }
  }
}

TEST(Alike, CountsTheAnswersThatItCompared) {
  const Story story = [](Told& told) { told.done("a"); };
  EXPECT_EQ(compared(story, story).answers, 3u);
}

TEST(Alike, IsNotARefusalInPlaceOfAnAnswer) {
  const Comparison found =
      compared([](Told& told) { told.held("a").ack("a").ok(); },
               [](Told& told) { told.held("a").ack("a").lost(LeaseReason::mismatch); });
  EXPECT_EQ(found.likeness, Likeness::different);
  EXPECT_EQ(found.answers, 2u);
  EXPECT_EQ(found.op, 3u);
}

TEST(Alike, IsNotAnotherError) {
  EXPECT_EQ(compared([](Told& told) { told.get("a").refused(ErrorCode::not_found); },
                     [](Told& told) { told.get("a").refused(ErrorCode::conflict); })
                .likeness,
            Likeness::different);
}

TEST(Alike, LetsWordsDiffer) {
  const auto story = [](const char* error) {
    return [=](Told& told) {
      told.lapsed("a");
      JobView view = told.view("a");
      view.job.state = JobState::dead;
      view.job.last_error = error;
      told.seek("a").nothing();
      told.get("b").refused(ErrorCode::not_found);
    };
  };
  EXPECT_EQ(compared(story("lease expired"), story("its lease is over")).likeness, Likeness::alike);
}

TEST(Alike, IsNotAnotherContent) {
  EXPECT_EQ(compared([](Told& told) { told.enqueue("a").ok().get("a").shows(); },
                     [](Told& told) {
                       told.enqueue("a").ok().get("a").shows(
                           [](JobView& view) { view.job.payload = "x"; });
                     })
                .likeness,
            Likeness::different);
}

TEST(Alike, IsNotToFindNothing) {
  EXPECT_EQ(compared([](Told& told) { told.enqueue("a").ok().claim("a"); },
                     [](Told& told) { told.enqueue("a").ok().seek("a").nothing(); })
                .likeness,
            Likeness::different);
}

TEST(Alike, EndsWhereAnOutcomeIsUnknown) {
  const Comparison ended = compared([](Told& told) { told.held("a").ack("a").ok(); },
                                    [](Told& told) { told.held("a").ack("a").unknown(); });
  EXPECT_EQ(ended.likeness, Likeness::unknown);
  EXPECT_EQ(ended.answers, 2u);
}

TEST(Alike, IsTheOrderOnlyWhereItIsPromised) {
  const Story first = [](Told& t) { t.enqueue("a").ok().enqueue("b").ok().claim("a"); };
  const Story second = [](Told& t) { t.enqueue("a").ok().enqueue("b").ok().claim("b"); };
  EXPECT_EQ(compared(first, second).likeness, Likeness::different);
  EXPECT_EQ(compared(first, second, "reference", [](Profile& p) { p.order = Order::best_effort; })
                .likeness,
            Likeness::parted);
  const Story late_a = [](Told& t) { t.retried("a", 0s).enqueue("b").ok().claim("a"); };
  const Story late_b = [](Told& t) { t.retried("a", 0s).enqueue("b").ok().claim("b"); };
  EXPECT_EQ(compared(late_a, late_b).likeness, Likeness::parted);
}

TEST(Alike, LeavesALateSettleOpenWhereTheProfileDoes) {
  const Story taken = [](Told& told) { told.lapsed("a").ack("a").ok(); };
  const Story refused = [](Told& told) { told.lapsed("a").ack("a").lost(LeaseReason::expired); };
  EXPECT_EQ(compared(taken, refused, "reference").likeness, Likeness::different);
  EXPECT_EQ(compared(taken, refused, "weave").likeness, Likeness::parted);
}

TEST(Alike, LeavesOpenHowALapsedJobIsShown) {
  EXPECT_EQ(compared([](Told& told) { told.lapsed("a").get("a").shows(); },
                     [](Told& told) {
                       told.lapsed("a").get("a").shows([](JobView& view) {
                         view.job.state = JobState::ready;
                         view.lease.reset();
                       });
                     })
                .likeness,
            Likeness::alike);
  EXPECT_EQ(compared([](Told& told) { told.held("a").get("a").shows(); },
                     [](Told& told) {
                       told.held("a").get("a").shows([](JobView& view) {
                         view.job.state = JobState::ready;
                         view.lease.reset();
                       });
                     })
                .likeness,
            Likeness::different);
}

void more(JobPage& page) { page.cursor = "more"; }

TEST(Alike, LooksAtAllPagesOfAListingTogether) {
  const Story ab = [](Told& told) {
    told.enqueue("a").ok().enqueue("b").ok();
    told.list({.queue = "q", .state = {}, .limit = 1, .cursor = {}}).lists({"a"}, more);
    told.list({.queue = "q", .state = {}, .limit = 1, .cursor = "more"}).lists({"b"});
  };
  const auto ending_in = [](const char* last) {
    return [=](Told& told) {
      told.enqueue("a").ok().enqueue("b").ok();
      told.list({.queue = "q", .state = {}, .limit = 1, .cursor = {}}).lists({"b"}, more);
      told.list({.queue = "q", .state = {}, .limit = 1, .cursor = "more"}).lists({last});
    };
  };
  EXPECT_EQ(compared(ab, ending_in("a")).likeness, Likeness::alike);
  EXPECT_EQ(compared(ab, ending_in("b")).likeness, Likeness::different);
}

TEST(Alike, IsNotAnotherPlan) {
  EXPECT_EQ(compared([](Told& told) { told.enqueue("a").ok(); },
                     [](Told& told) { told.enqueue("b").ok(); })
                .likeness,
            Likeness::parted);
  EXPECT_EQ(compared([](Told& told) { told.enqueue("a").ok(); }, [](Told&) {}).likeness,
            Likeness::parted);
}

}  // namespace
}  // namespace assay
