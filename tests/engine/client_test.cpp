#include "engine/client.h"

#include <set>

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

Submission plain() {
  Submission submission;
  submission.type = "t";
  return submission;
}

std::unique_ptr<Client> client_of(Shop& shop, ClientOptions options = {}) {
  return std::move(Client::make(shop.runtime(), shop.driver(), std::move(options))).value();
}

TEST(ClientTest, StoresAllThatItWasGiven) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    Submission all = plain();
    all.payload = std::string("a\0b", 3);
    all.queue = "mail";
    all.delay = 5s;
    all.key = "k";
    all.limit = 7;
    all.timeout = 3s;
    all.priority = 2;
    all.id = "mine";
    EXPECT_EQ(*client->submit(all), (Enqueued{"mine", false}));
    const Job job = shop.get("mine").job;
    EXPECT_EQ(job.queue, "mail");
    EXPECT_EQ(job.payload, all.payload);
    EXPECT_EQ(job.run_at, run_epoch + 5s);
    EXPECT_EQ(job.key, "k");
    EXPECT_EQ(job.max_attempts, 7);
    EXPECT_EQ(job.timeout, 3s);
    EXPECT_EQ(job.priority, 2);
    EXPECT_EQ(job.state, JobState::scheduled);
  });
}

TEST(ClientTest, UsesItsOwnQueueAndDrawsIdsWhereNoneIsGiven) {
  Shop shop;
  shop.run([&] {
    ClientOptions options;
    options.queue = "mine";
    const auto client = client_of(shop, options);
    std::set<JobId> ids;
    for (int i = 0; i < 50; ++i) ids.insert(client->submit(plain())->id);
    EXPECT_EQ(ids.size(), 50u);
    EXPECT_EQ(shop.get(*ids.begin()).job.queue, "mine");
  });
}

TEST(ClientTest, RefusesWithASentenceWhatMakesNoSense) {
  const auto refusal = [](auto alter) {
    Submission submission = plain();
    alter(submission);
    const auto objection = objection_to(submission, {}, run_epoch);
    return objection ? objection->message : "";
  };
  const std::string long_name(256, 'x');
  EXPECT_EQ(refusal([](Submission&) {}), "");
  EXPECT_EQ(refusal([](Submission& s) { s.type = ""; }), "the type is empty");
  EXPECT_EQ(refusal([&](Submission& s) { s.type = long_name; }),
            "the type has 256 bytes, 255 are allowed");
  EXPECT_EQ(refusal([](Submission& s) { s.type = std::string("a\0", 2); }),
            "the type has a zero byte");
  EXPECT_EQ(refusal([](Submission& s) { s.queue = ""; }), "the queue's name is empty");
  EXPECT_NE(refusal([&](Submission& s) { s.queue = long_name; }), "");
  EXPECT_EQ(refusal([](Submission& s) { s.key = ""; }), "the key is empty");
  EXPECT_EQ(refusal([](Submission& s) { s.id = ""; }), "the id is empty");
  EXPECT_EQ(refusal([](Submission& s) { s.limit = -1; }), "the limit is negative");
  EXPECT_EQ(refusal([](Submission& s) { s.limit = INT64_MAX; }),
            "the limit is 9223372036854775807, 10000 is allowed");
  EXPECT_EQ(refusal([](Submission& s) { s.timeout = 0s; }), "the timeout is not positive");
  EXPECT_NE(refusal([](Submission& s) { s.timeout = Duration::max(); }), "");
  EXPECT_EQ(refusal([](Submission& s) { s.delay = -1ms; }), "the delay is negative");
  EXPECT_NE(refusal([](Submission& s) { s.delay = Duration::max(); }), "");
  EXPECT_NE(refusal([](Submission& s) { s.run_at = Instant::max(); }), "");
  EXPECT_NE(refusal([](Submission& s) { s.run_at = Instant::min(); }), "");
  EXPECT_EQ(refusal([](Submission& s) { s.run_at = run_epoch - 1h; }), "");
  EXPECT_NE(refusal([](Submission& s) {
              s.delay = 1s;
              s.run_at = run_epoch;
            }),
            "");
  EXPECT_EQ(refusal([](Submission& s) { s.payload.resize((1 << 20) + 1); }),
            "the payload has 1048577 bytes, 1048576 are allowed");
}

TEST(ClientTest, AsksNoStoreForWhatItRefuses) {
  Trouble trouble;
  int calls = 0;
  trouble.before = [&](const Request&) -> std::optional<Error> { return ++calls, std::nullopt; };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    const auto refused = client_of(shop)->submit({});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  });
  EXPECT_EQ(calls, 0);
}

// In every profile: the answer of a try is lost, or the try itself.
TEST(ClientTest, MakesOneJobWhateverIsLost) {
  for (const auto profile : {"reference", "taskharbor", "trace", "upnext", "weave"})
    for (const bool has_key : {false, true})
      for (const bool takes_effect : {false, true}) {
        Trouble trouble;
        int lost = 0;
        const auto spoil = [&](const Request& request) -> std::optional<Error> {
          if (std::holds_alternative<Enqueue>(request) && ++lost <= 2) return Trouble::no_answer();
          return std::nullopt;
        };
        (takes_effect ? trouble.after : trouble.before) = spoil;
        Shop shop({.profile = profile, .trouble = &trouble});
        shop.run([&] {
          const auto client = client_of(shop);
          Submission submission = plain();
          if (has_key && built_in_profile(profile)->idem != Idem::none) submission.key = "k";
          const auto made = client->submit(submission);
          ASSERT_TRUE(made.ok()) << profile << ": " << made.error().message;
          EXPECT_FALSE(made->existed) << profile;
          EXPECT_EQ(shop.get(made->id).job.type, "t");
          const auto session = std::move(shop.driver().open({"eye"})).value();
          EXPECT_EQ(session->list(shop.now(), {"default"})->jobs.size(), 1u) << profile;
        });
      }
}

// The first try took the key: the second is told that it is taken.
TEST(ClientTest, KnowsItsOwnJobWhereAKeyIsRefused) {
  Trouble trouble;
  bool is_first = true;
  trouble.after = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Enqueue>(request) && std::exchange(is_first, false))
      return Trouble::no_answer();
    return std::nullopt;
  };
  Shop shop({.alter = [](Profile& p) { p.idem = Idem::reject_active; }, .trouble = &trouble});
  shop.run([&] {
    const auto client = client_of(shop);
    Submission keyed = plain();
    keyed.key = "k";
    const auto made = client->submit(keyed);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_FALSE(made->existed);
    const auto again = client->submit(keyed);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, ErrorCode::duplicate_key);
  });
}

// One try may have been heard, the others certainly were not.
TEST(ClientTest, RemembersADoubt) {
  Trouble trouble;
  bool is_gone = false;
  trouble.before = [&](const Request&) -> std::optional<Error> {
    is_gone = true;
    return Trouble::no_answer();
  };
  trouble.opening = [&]() -> std::optional<Error> {
    if (is_gone) return Trouble::no_answer();
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    const auto made = client_of(shop)->submit(plain());
    ASSERT_FALSE(made.ok());
    EXPECT_FALSE(is_definite(made.error()));
  });
}

TEST(ClientTest, SaysThatAnotherMadeTheJobOfTheKey) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    Submission keyed = plain();
    keyed.key = "k";
    const auto first = client->submit(keyed), second = client->submit(keyed);
    EXPECT_EQ(*second, (Enqueued{first->id, true}));
  });
}

TEST(ClientTest, GivesUpAfterItsTriesAndLeavesOpenWhatItDoesNotKnow) {
  for (const bool opens : {true, false}) {
    Trouble trouble;
    int tries = 0;
    trouble.before = [&](const Request&) -> std::optional<Error> {
      return ++tries, Trouble::no_answer();
    };
    if (!opens)
      trouble.opening = [&]() -> std::optional<Error> { return ++tries, Trouble::no_answer(); };
    Shop shop({.trouble = &trouble});
    shop.run([&] {
      const auto made = client_of(shop)->submit(plain());
      ASSERT_FALSE(made.ok());
      EXPECT_EQ(is_definite(made.error()), !opens);
    });
    EXPECT_EQ(tries, 6);
  }
}

TEST(ClientTest, TakesTurns) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      const auto client = client_of(shop);
      std::vector<std::unique_ptr<Task>> tasks;
      std::set<JobId> ids;
      for (int i = 0; i < 4; ++i)
        tasks.push_back(shop.runtime().start("submits", [&](std::stop_token) {
          const auto made = client->submit(plain());
          ids.insert(made->id);
        }));
      tasks.clear();
      EXPECT_EQ(ids.size(), 4u);
    });
  }
}

// --- waiting, and events ---

Submission keyed(std::string key) {
  Submission submission = plain();
  submission.queue = "q";
  submission.key = std::move(key);
  return submission;
}

TEST(ClientTest, WaitsUntilTheJobHasEnded) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const auto worker = shop.start(shop.options(sleeps(90s)));
    const auto waited = client->submit_and_wait(keyed("k"), 1h);
    ASSERT_TRUE(waited.ok()) << waited.error().message;
    EXPECT_EQ(waited->state, JobState::done);
    EXPECT_FALSE(waited->existed);
    EXPECT_GE(shop.now(), run_epoch + 90s);
    EXPECT_LT(shop.now(), run_epoch + 95s);
    static_cast<void>(worker->shutdown());
  });
}

TEST(ClientTest, TellsWhoWaitsWhyTheJobIsDead) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const auto worker = shop.start(shop.options([](Context&) -> HandlerResult {
      return Failure{"no hope", true};
    }));
    const auto waited = client->submit_and_wait(keyed("k"), 1h);
    ASSERT_TRUE(waited.ok()) << waited.error().message;
    EXPECT_EQ(waited->state, JobState::dead);
    ASSERT_TRUE(waited->dead);
    EXPECT_EQ(waited->dead->error, "no hope");
    static_cast<void>(worker->shutdown());
  });
}

TEST(ClientTest, WaitsForTheJobThatHasTheKey) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const JobId first = client->submit(keyed("k"))->id;
    const auto worker = shop.start(shop.options(sleeps(5s)));
    const auto waited = client->submit_and_wait(keyed("k"), 1h);
    ASSERT_TRUE(waited.ok()) << waited.error().message;
    EXPECT_EQ(waited->id, first);
    EXPECT_TRUE(waited->existed);
    EXPECT_EQ(waited->state, JobState::done);
    static_cast<void>(worker->shutdown());
  });
}

TEST(ClientTest, WaitsNoLongerThanItsPatience) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const auto waited = client->submit_and_wait(keyed("k"), 10s);
    ASSERT_FALSE(waited.ok());
    EXPECT_EQ(waited.error().code, ErrorCode::unavailable);
    EXPECT_EQ(waited.error().message, "the job has not ended in time");
    EXPECT_EQ(shop.now(), run_epoch + 10s);
    EXPECT_EQ(client->submit_and_wait(keyed("k"), 0s).error().code, ErrorCode::invalid);
  });
}

TEST(ClientTest, LetsOthersHandInWhileSomebodyWaits) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const auto task = shop.runtime().start("waits", [&](std::stop_token) {
      static_cast<void>(client->submit_and_wait(keyed("k"), 1min));
    });
    shop.pass(1s);
    const Instant before = shop.now();
    EXPECT_TRUE(client->submit(plain()).ok());
    EXPECT_EQ(shop.now(), before);
    static_cast<void>(task->join_until(std::nullopt));
  });
}

TEST(ClientTest, SendsAnEventAsAJobOfTheQueueThatItsTargetNames) {
  Shop shop;
  shop.run([&] {
    const auto client = client_of(shop);
    const auto sent = client->send({"billing", "paid"}, "payment-7");
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    const Job job = shop.get(sent->id).job;
    EXPECT_EQ(job.queue, "billing");
    EXPECT_EQ(job.type, "event");
    EXPECT_EQ(job.payload, "paid");
    EXPECT_EQ(job.key, "payment-7");
    EXPECT_EQ(*client->send({"billing", "paid"}, "payment-7"), (Enqueued{sent->id, true}));
    EXPECT_NE(client->send({"billing", "paid"})->id, sent->id);
    EXPECT_EQ(client->send({"", "paid"}).error().message, "the event has no target");
  });
}

}  // namespace
}  // namespace assay::engine
