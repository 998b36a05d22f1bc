// The rules of dispatchers, wake-ups and outboxes, on histories told by hand: three for each.
#include <gtest/gtest.h>

#include "harness/judge/judge.h"
#include "properties/all.h"
#include "tests/properties/engine_cases.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

using Kind = EngineEvent::Kind;
using Numbers = std::map<std::string, std::int64_t>;

// Workers "w" and "v", whose calls are those of clients 1 and 3, a dispatcher "d" (2) and the
// engine's own client, all for queue "q"; messages stay hidden for 15 s.
class Post : public Told {
 public:
  explicit Post(std::string_view profile) : Told(profile) {
    this->profile.capabilities.insert({"outbox", "wakeups"});
    happens({.kind = Kind::begins});
    happens({.kind = Kind::worker_started, .worker = "client", .word = ";"});
    dispatcher();
    worker("w", 1);
    worker("v", 3);
  }

  Post& worker(const std::string& name, int client, Numbers more = {}) {
    more.merge(Numbers{{"lease_ms", 30'000}, {"concurrency", 2}, {"outage_ms", 30'000}});
    happens({.kind = Kind::worker_started, .worker = name, .word = "t;q", .numbers = more});
    happens({.kind = Kind::worker_connected, .worker = name, .client = client});
    return *this;
  }
  Post& dispatcher() {
    happens({.kind = Kind::worker_started,
             .worker = "d",
             .word = ";q",
             .numbers = {{"dispatcher", 1},
                         {"outbox_ms", 500},
                         {"retries_ms", 2'000},
                         {"reaper_ms", 2'000},
                         {"stale_ms", 5'000},
                         {"stale_after_ms", 60'000},
                         {"outage_ms", 30'000}}});
    happens({.kind = Kind::worker_connected, .worker = "d", .client = 2});
    return *this;
  }
  Post& says(Kind kind, const std::string& who = "w") {
    happens({.kind = kind, .worker = who});
    return *this;
  }
  Post& passes(Duration length) {
    advance(length);
    return *this;
  }

  // --- messages ---
  Post& sent(const std::string& text, std::int64_t message = 1) {
    happens({.kind = Kind::wakeup_sent,
             .worker = "d",
             .job_id = text,
             .numbers = {{"message", message}}});
    return *this;
  }
  Post& spoiled(const JobId& id, std::string how, std::int64_t message = 1) {
    happens({.kind = Kind::wakeup_spoiled,
             .job_id = id,
             .word = std::move(how),
             .numbers = {{"message", message}}});
    return *this;
  }
  Post& message(Kind kind, const JobId& id, std::int64_t receipt = 1,
                const std::string& who = "w") {
    happens({.kind = kind,
             .worker = who,
             .job_id = id,
             .numbers = {{"message", 1}, {"receipt", receipt}, {"until_ms", to_ms(now + 15s)}}});
    return *this;
  }
  Post& heard(const JobId& id, std::int64_t receipt = 1, const std::string& who = "w") {
    return message(Kind::wakeup_received, id, receipt, who);
  }

  // --- rows ---
  Post& row(const std::string& who, const JobId& id, std::string word, std::int64_t run = 1,
            const std::string& row = "r") {
    happens({.kind = Kind::row_written,
             .worker = who,
             .job_id = id,
             .run = run,
             .word = std::move(word),
             .row = row});
    return *this;
  }
  Post& dropped(std::string with = "", const std::string& row = "r") {
    happens({.kind = Kind::row_dropped, .worker = "d", .word = std::move(with), .row = row});
    return *this;
  }
  // A job with the row that announces it.
  Post& announced(const JobId& id = "a") {
    auto asked = as(0).enqueue(id);
    row("client", id, "announce_task enqueue q");
    asked.ok();
    return *this;
  }

  // --- runs ---
  Post& of_run(Kind kind, const JobId& id, std::string word, std::int64_t run,
               const std::string& who) {
    happens({.kind = kind, .worker = who, .job_id = id, .run = run, .word = std::move(word)});
    return *this;
  }
  Post& began(const JobId& id = "a", std::int64_t run = 1, const std::string& who = "w") {
    return of_run(Kind::handler_began, id, "", run, who);
  }
  Post& sends(const std::string& target, const JobId& id = "a") {
    return of_run(Kind::event_sent, id, target, 1, "w");
  }
  Post& ended(const JobId& id = "a", std::string how = "ok", std::int64_t run = 1) {
    return of_run(Kind::handler_ended, id, std::move(how), run, "w");
  }
  Post& enqueued(const JobId& id = "a") {
    as(0).enqueue(id).ok();
    return *this;
  }
  Post& claimed(const JobId& id = "a") {
    as(1).claim(id);
    return began(id);
  }
  Post& done(const JobId& id = "a") {
    ended(id).as(1).ack(id).ok();
    return *this;
  }
  Post& beats(const JobId& id = "a") {
    as(1).extend(id).ok();
    return *this;
  }
  Post& watched() { return says(Kind::watched, ""); }
  void seen(const JobId& id = "a") { as(0).get(id).shows(); }
  void surfaces(const JobId& id = "a") { of_run(Kind::surfaced, id, "unavailable", 1, "w"); }
};

using Play = void (*)(Post&);

struct PostCases {
  std::string_view rule;
  std::string_view profile;
  Play holds, convicts, unknown;
};

// Whether it was ever made nobody knows.
void perhaps_there(Post& p) {
  p.as(0).enqueue("a").unknown();
  p.sent("a").spoiled("a", "dropped").passes(1h).watched();
}

// Its worker dies with it, and its lease ends.
void dies(Post& p) {
  p.enqueued().claimed().passes(5s).says(Kind::worker_died).passes(25s).passes(1s);
}
void dies_and_is_announced(Post& p) {
  dies(p);
  p.sent("a").passes(10s).watched();
}
void dies_and_is_forgotten(Post& p) {
  dies(p);
  p.passes(10s).watched();
}
void dies_perhaps_later(Post& p) {
  p.enqueued().claimed().passes(10s).as(1).extend("a").unknown();
  p.says(Kind::worker_died).passes(1min).watched();
}

const PostCases cases[] = {
    {"WAKE-1", "reference", [](Post& p) { p.enqueued().sent("a"); },
     [](Post& p) { p.enqueued().sent("a, and what it is about"); },
     [](Post& p) {
       p.as(0).enqueue("a").unknown();
       p.sent("a");
     }},
    {"WAKE-2", "reference",
     [](Post& p) { p.enqueued().sent("a").sent("a", 2).claimed().passes(1s).done(); },
     [](Post& p) {
       p.enqueued().sent("a").sent("a", 2).claimed().passes(1s).began("a", 1, "v").passes(1s);
       p.done();
     },
     [](Post& p) {
       p.enqueued().sent("a").sent("a", 2).claimed().passes(1s).ended().ack("a").unknown();
       p.surfaces();
     }},
    {"WAKE-3", "reference",
     [](Post& p) {
       p.enqueued().sent("a").spoiled("a", "dropped").passes(1min).sent("a", 2).claimed().done();
       p.watched();
     },
     [](Post& p) { p.enqueued().sent("a").spoiled("a", "dropped").passes(1h).watched().seen(); },
     perhaps_there},
    {"WAKE-4", "trace",
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(5s).spoiled("a", "shown_again");
       p.heard("a", 2, "v").passes(1s).done();
     },
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(5s).spoiled("a", "shown_again");
       p.heard("a", 2, "v").began("a", 1, "v").passes(1s).done();
     },
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(5s).spoiled("a", "shown_again");
       p.heard("a", 2, "v").as(3).seek("a").unknown();
     }},
    {"WAKE-5", "trace",
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(10s).beats();
       p.message(Kind::wakeup_prolonged, "a").passes(10s).beats();
       p.message(Kind::wakeup_prolonged, "a").passes(5s).done();
       p.message(Kind::wakeup_deleted, "a");
     },
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(10s).beats().passes(10s).beats();
       p.passes(5s).done();
     },
     // How long it went on nobody saw.
     [](Post& p) {
       p.enqueued().sent("a").heard("a").claimed().passes(10s).as(1).extend("a").unknown();
       p.says(Kind::worker_died).passes(10s);
     }},
    {"WAKE-6", "reference", dies_and_is_announced, dies_and_is_forgotten, dies_perhaps_later},
    {"REAP-1", "reference", dies_and_is_announced, dies_and_is_forgotten, dies_perhaps_later},
    {"REAP-2", "reference",
     [](Post& p) {
       dies(p);
       p.sent("a").worker("w", 1).as(1).claim("a");
       p.began("a", 2).ended("a", "ok", 2).as(1).ack("a").ok();
       p.passes(10s).watched().seen();
     },
     [](Post& p) {
       dies(p);
       p.as(2).claim("a").fail("a", 2).ok();
       p.passes(10s).watched().seen();
     },
     [](Post& p) {
       dies(p);
       p.as(3).reserve().unknown();
       p.passes(10s).watched();
     }},
    {"REAP-3", "reference",
     [](Post& p) {
       p.enqueued().claimed().ended("a", "failed").as(1).retry("a", 300ms, 1).ok();
       p.passes(1s).sent("a").passes(10s).watched();
     },
     [](Post& p) {
       p.enqueued().claimed().ended("a", "failed").as(1).retry("a", 300ms, 1).ok();
       p.passes(10s).watched();
     },
     [](Post& p) {
       p.enqueued().claimed().ended("a", "failed").as(1).retry("a", 300ms, 1).unknown();
       p.surfaces();
       p.passes(10s).watched();
     }},
    {"RETRY-10", "reference",
     [](Post& p) {
       p.worker("w", 1, {{"outbox", 1}}).enqueued().claimed().ended("a", "failed");
       auto asked = p.as(1).retry("a", 300ms, 1);
       p.row("w", "a", "announce_task retry q", 2);
       asked.ok();
       p.passes(1s).sent("a").dropped().passes(10s).watched();
     },
     [](Post& p) {
       p.worker("w", 1, {{"outbox", 1}}).enqueued().claimed().ended("a", "failed");
       auto asked = p.as(1).retry("a", 300ms, 1);
       p.row("w", "a", "announce_task retry q", 1);
       asked.ok();
       p.passes(1s).sent("a").dropped().passes(10s).watched();
     },
     [](Post& p) {
       p.worker("w", 1, {{"outbox", 1}}).enqueued().claimed().ended("a", "failed");
       p.as(1).retry("a", 300ms, 1).unknown();
       p.surfaces();
       p.passes(10s).watched();
     }},
    {"OUTBOX-1", "reference",
     [](Post& p) { p.announced().says(Kind::worker_died, "d").dispatcher().sent("a").dropped(); },
     [](Post& p) { p.enqueued().row("client", "a", "announce_task alone q").sent("a").dropped(); },
     [](Post& p) {
       p.as(0).enqueue("a").unknown();
       p.says(Kind::worker_died, "d");
     }},
    {"OUTBOX-2", "reference",
     [](Post& p) { p.announced().sent("a").dropped().claimed().done().watched(); },
     [](Post& p) { p.announced().dropped().sent("a").claimed().done().watched(); }, perhaps_there},
    {"OUTBOX-3", "reference",
     [](Post& p) {
       p.announced().says(Kind::worker_died, "d").dispatcher().sent("a").dropped().claimed();
       p.done().watched();
     },
     [](Post& p) {
       p.announced().says(Kind::worker_ended, "d").dispatcher().passes(1h).claimed().done();
       p.watched();
     },
     [](Post& p) {
       p.as(0).enqueue("a").unknown();
       p.says(Kind::worker_died, "d").dispatcher().passes(1h).watched();
     }},
    {"OUTBOX-5", "reference",
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().ended();
       auto asked = p.as(1).ack("a");
       p.row("w", "a", "route_event ack events", 1, "e");
       asked.ok();
       p.dropped("enqueue", "e");
     },
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().ended();
       auto asked = p.as(1).ack("a");
       p.row("w", "a", "route_event ack events", 1, "e");
       asked.ok();
       p.sent("a", 2).dropped("", "e");
     },
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().ended().as(1).ack("a").unknown();
       p.surfaces();
     }},
    {"OUTBOX-6", "reference",
     [](Post& p) {
       p.announced().sent("a").dropped().row("d", "a", "announce_task alone q").sent("a", 2);
       p.dropped().claimed().done();
     },
     [](Post& p) {
       p.announced().sent("a").dropped().row("d", "a", "announce_task alone q").sent("a", 2);
       p.dropped().claimed().done().began("a", 2);
     },
     [](Post& p) {
       p.announced().sent("a").dropped().row("d", "a", "announce_task alone q").sent("a", 2);
       p.dropped().claimed().ended().as(1).ack("a").unknown();
       p.surfaces();
     }},
    {"XOUT-1", "reference",
     [](Post& p) { p.announced().row("d", "a", "announce_task alone q").sent("a").dropped(); },
     [](Post& p) { p.announced().row("d", "a", "announce_task alone q", 1, "s").sent("a"); },
     [](Post& p) { p.announced().sent("a").dropped().as(0).enqueue("b").unknown(); }},
    {"STATE-5", "reference",
     [](Post& p) {
       p.enqueued().sent("a").heard("a").message(Kind::wakeup_deleted, "a").passes(5s);
       p.claimed().done().watched();
     },
     [](Post& p) {
       p.enqueued().sent("a").spoiled("a", "dropped").passes(70s).as(2).claim("a");
       p.fail("a", 1).ok();
       p.passes(1h).watched().seen();
     },
     perhaps_there},
    {"XWORK-3", "reference",
     [](Post& p) { p.enqueued().sent("a").heard("a").message(Kind::wakeup_deleted, "a"); },
     [](Post& p) { p.enqueued().sent("a").heard("a").began().message(Kind::wakeup_deleted, "a"); },
     [](Post& p) {
       p.enqueued().sent("a").heard("a").as(1).reserve().unknown();
       p.message(Kind::wakeup_deleted, "a");
     }},
};

// Another side of some.
const PostCases further_cases[] = {
    // While a dispatcher works.
    {"WAKE-3", "reference",
     [](Post& p) {
       p.enqueued().sent("a").spoiled("a", "dropped").says(Kind::worker_ended, "d").passes(10min);
       p.dispatcher().passes(2min).sent("a", 2).claimed().done().watched();
     },
     [](Post& p) {
       p.enqueued().sent("a").spoiled("a", "dropped").passes(3min).sent("a", 2).claimed().done();
       p.watched();
     },
     [](Post& p) {
       p.enqueued().sent("a").spoiled("a", "dropped").passes(1min).as(3).reserve().unknown();
       p.passes(2min).sent("a", 2).claimed().done().watched();
     }},
    // Events that a job sends by succeeding.
    {"OUTBOX-1", "reference",
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().sends("events").ended();
       auto asked = p.as(1).ack("a");
       p.row("w", "a", "route_event ack events", 1, "e");
       asked.ok();
       p.says(Kind::worker_died, "d").dispatcher().dropped("enqueue", "e");
     },
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().sends("events").sends("more").ended();
       auto asked = p.as(1).ack("a");
       p.row("w", "a", "route_event ack events", 1, "e");
       asked.ok();
       p.dropped("enqueue", "e");
     },
     [](Post& p) {
       p.announced().sent("a").dropped().claimed().sends("events").ended().as(1).ack("a").unknown();
       p.surfaces();
     }},
};

class PostHistories : public testing::TestWithParam<PostCases> {
 protected:
  static Judgement judged(Play play) {
    Post post(GetParam().profile);
    play(post);
    return judge(post.history(), all_properties());
  }
};

TEST_P(PostHistories, Hold) {
  const Judgement judgement = judged(GetParam().holds);
  EXPECT_GT(judgement.tallies.of(GetParam().rule).triggered, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

TEST_P(PostHistories, Convict) {
  const Judgement judgement = judged(GetParam().convicts);
  EXPECT_GT(judgement.tallies.of(GetParam().rule).convicted, 0U) << findings_of(judgement);
  for (const Finding& finding : judgement.findings) EXPECT_FALSE(finding.story.empty());
}

TEST_P(PostHistories, AreUnknown) {
  const Judgement judgement = judged(GetParam().unknown);
  EXPECT_GT(judgement.unknown_outcomes, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

INSTANTIATE_TEST_SUITE_P(Rules, PostHistories, testing::ValuesIn(cases),
                         [](const auto& info) { return test_name(info.param.rule); });
INSTANTIATE_TEST_SUITE_P(Further, PostHistories, testing::ValuesIn(further_cases),
                         [](const auto& info) { return test_name(info.param.rule); });

std::uint64_t convicted_of(std::string_view rule, Play play) {
  Post post("reference");
  play(post);
  return judge(post.history(), all_properties()).tallies.of(rule).convicted;
}

// A job whose wake-up is lost, at once, and that is announced again three minutes later.
Post& loses_it(Post& p) { return p.sent("a").spoiled("a", "dropped"); }
void is_announced(Post& p) { p.sent("a", 9).claimed().done().watched(); }

TEST(LostWakeUps, AreNotMissedOfAJobThatIsKeptFromRunning) {
  const Play plays[] = {
      [](Post& p) {
        loses_it(p.enqueued()).as(0).pause().ok();
        is_announced(p.passes(3min));
      },
      [](Post& p) {
        p.as(0).enqueue("a", 1h).ok();
        is_announced(loses_it(p).passes(1h).passes(1min));
      },
      [](Post& p) { loses_it(p.enqueued()).claimed().passes(20s).done().passes(3min).watched(); },
      [](Post& p) {
        loses_it(p.enqueued()).as(0).cancel("a").ok();
        p.passes(3min).sent("a", 9).watched();
      },
      // When it is due whoever made it knows.
      [](Post& p) {
        p.as(0).enqueue("a", 1h).unknown();
        p.as(0).enqueue("a").existed("a");
        is_announced(loses_it(p).passes(3min));
      },
  };
  for (std::size_t i = 0; i < std::size(plays); ++i)
    EXPECT_EQ(convicted_of("WAKE-3", plays[i]), 0u) << i;
}

TEST(LostWakeUps, AreNotMissedWhereNoDispatcherWasAtWorkForSoLong) {
  const Play plays[] = {
      [](Post& p) {
        loses_it(p.enqueued()).says(Kind::line_lost, "d").passes(1min).says(Kind::line_back, "d");
        is_announced(p.passes(2min));
      },
      [](Post& p) {
        loses_it(p.enqueued()).passes(1min).store_goes();
        p.store_comes_back();
        is_announced(p.passes(2min));
      },
      [](Post& p) {
        loses_it(p.enqueued()).passes(2min).says(Kind::worker_died, "d").dispatcher();
        is_announced(p.passes(1min));
      },
      // It waits for twice as long after the second.
      [](Post& p) {
        p.enqueued().sent("a").sent("a", 2).spoiled("a", "dropped", 2);
        is_announced(p.passes(3min));
      },
      [](Post& p) { loses_it(p.enqueued()).passes(90s).watched(); },
  };
  for (std::size_t i = 0; i < std::size(plays); ++i)
    EXPECT_EQ(convicted_of("WAKE-3", plays[i]), 0u) << i;
}

// The store found out at the claim, and ended the job, or put it off.
TEST(LostLeases, AreNotMissedWhereAClaimMayHaveComeFirst) {
  const Play claimed_for = [](Post& p) {
    dies(p);
    p.as(3).reserve().nothing();
    p.passes(10s).watched();
  };
  const Play claimed_elsewhere = [](Post& p) {
    dies(p);
    p.as(3).reserve("p").nothing();
    p.passes(10s).watched();
  };
  const Play claimed_before = [](Post& p) {
    p.enqueued().claimed().passes(5s).says(Kind::worker_died).as(3).reserve().nothing();
    p.passes(1min).watched();
  };
  for (const std::string_view rule : {"REAP-1", "WAKE-6"}) {
    EXPECT_EQ(convicted_of(rule, claimed_for), 0u);
    EXPECT_EQ(convicted_of(rule, claimed_elsewhere), 1u);
    EXPECT_EQ(convicted_of(rule, claimed_before), 1u);
  }
}

// Whoever starts under a name has its line as it is.
TEST(LostLeases, AreNotMissedWhereTheDispatchersLineIsLost) {
  EXPECT_EQ(convicted_of("REAP-1", [](Post& p) {
              p.says(Kind::line_lost, "d").says(Kind::worker_ended, "d").dispatcher();
              dies_and_is_forgotten(p);
            }),
            0u);
  EXPECT_EQ(convicted_of("REAP-1", [](Post& p) {
              p.says(Kind::line_lost, "d").says(Kind::worker_ended, "d").dispatcher();
              p.says(Kind::line_back, "d").passes(1min);
              dies_and_is_forgotten(p);
            }),
            1u);
}

TEST(DueRetries, AreNotMissedWhereTheyWereAnnouncedBeforeTheirWorkerHadAnAnswer) {
  const auto retried = [](Post& p) {
    p.enqueued().claimed().ended("a", "failed").as(1).retry("a", 300ms, 1).unknown();
  };
  const auto answered = [](Post& p) {
    p.as(1).retry("a", 300ms - 4s, 1).ok();  // the same as before
    p.passes(10s).watched();
  };
  Post announced("reference"), forgotten("reference");
  retried(announced);
  answered(announced.passes(1s).sent("a").passes(3s));
  retried(forgotten);
  answered(forgotten.passes(4s));
  const auto convicted = [](Post& post) {
    return judge(post.history(), all_properties()).tallies.of("REAP-3").convicted;
  };
  EXPECT_EQ(convicted(announced), 0u);
  EXPECT_EQ(convicted(forgotten), 1u);
}

// Which of the two was taken is not certain.
TEST(RowsOfEvents, AreNotMissedWhereAWorkerHasAJobTwice) {
  EXPECT_EQ(convicted_of("OUTBOX-1",
                         [](Post& p) {
                           p.enqueued().as(1).claim("a");
                           p.passes(31s).as(1).claim("a");
                           p.began("a", 1).began("a", 2).sends("events").ended("a", "ok", 1);
                           p.ended("a", "ok", 2).as(1).ack("a").ok();
                         }),
            0u);
}

TEST(RowsOfEvents, AreNotMissedWhereNoSuccessWasTaken) {
  const Play plays[] = {
      [](Post& p) {
        p.enqueued().claimed().sends("events").ended().as(1).ack("a").lost(LeaseReason::expired);
      },
      [](Post& p) { p.enqueued().claimed().sends("events").ended().as(1).retry("a", 1s, 1).ok(); },
      [](Post& p) { p.enqueued().claimed().sends("events").ended().passes(1h).watched(); },
  };
  for (std::size_t i = 0; i < std::size(plays); ++i)
    EXPECT_EQ(convicted_of("OUTBOX-1", plays[i]), 0u) << i;
}

// The first try was made, and its answer was lost.
TEST(RowsOfEvents, AreThoseOfTheFirstTry) {
  const auto acked_twice = [](Post& p, bool with_row) {
    p.enqueued().claimed().sends("events").ended();
    auto first = p.as(1).ack("a");
    if (with_row) p.row("w", "a", "route_event ack events", 1, "e");
    first.unknown();
    p.passes(1s).as(1).ack("a").ok();
  };
  Post with("reference"), without("reference");
  acked_twice(with, true);
  acked_twice(without, false);
  const auto convicted = [](Post& post) {
    return judge(post.history(), all_properties()).tallies.of("OUTBOX-1").convicted;
  };
  EXPECT_EQ(convicted(with), 0u);
  EXPECT_EQ(convicted(without), 1u);
}

}  // namespace

std::vector<std::string_view> dispatch_rules_told() {
  std::vector<std::string_view> rules;
  for (const PostCases& one : cases) rules.push_back(one.rule);
  return rules;
}

}  // namespace assay::told
