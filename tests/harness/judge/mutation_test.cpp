// Histories of a driver that keeps its promises, with one thing altered: what the judge must say of
// each is known beforehand.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

const CallEvent* call_of(const History& history, OpId op) {
  for (const Event& event : history.events)
    if (const auto* call = std::get_if<CallEvent>(&event); call && call->op == op) return call;
  return nullptr;
}

bool is_about(const std::string& findings, const std::set<std::string>& rules) {
  return std::ranges::any_of(rules, [&](const std::string& rule) {
    return findings.find(rule + ":") != std::string::npos ||
           findings.find(rule + " ") != std::string::npos;
  });
}

class Altered : public testing::TestWithParam<std::string_view> {
 protected:
  // Tries it on each event of some histories; `alter` tells whether it found anything to do there.
  // How many were altered; each is convicted, of one of these rules if any are named.
  int convicted(const std::function<bool(History&, std::size_t)>& alter,
                const std::set<std::string>& rules = {}) const {
    return each(alter, [&](const std::string& findings, const std::string& where) {
      EXPECT_NE(findings, "") << where;
      if (!rules.empty()) {
        EXPECT_TRUE(is_about(findings, rules)) << where << ": " << findings;
      }
    });
  }
  int held(const std::function<bool(History&, std::size_t)>& alter) const {
    return each(alter, [&](const std::string& findings, const std::string& where) {
      EXPECT_EQ(findings, "") << where;
    });
  }

  const Profile profile_ = *built_in_profile(GetParam());

 private:
  template <class Expect>
  int each(const std::function<bool(History&, std::size_t)>& alter, Expect expect) const {
    int altered = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const History whole = faithful(profile_, seed);
      for (std::size_t at = 0; at < whole.events.size(); ++at) {
        History other = whole;
        if (!alter(other, at)) continue;
        ++altered;
        expect(findings_of(judge(other, all_properties())),
               "seed " + std::to_string(seed) + ", event " + std::to_string(at));
      }
    }
    return altered;
  }
};

// --- dropped ---

TEST_P(Altered, ALookThatIsDroppedIsNotMissed) {
  EXPECT_GT(held([](History& history, std::size_t at) {
              const auto* call = std::get_if<CallEvent>(&history.events[at]);
              if (!call || !std::holds_alternative<Get>(call->request)) return false;
              const OpId op = call->op;
              std::erase_if(history.events, [&](const Event& event) {
                const auto* other = std::get_if<CallEvent>(&event);
                const auto* end = std::get_if<ReturnEvent>(&event);
                return (other && other->op == op) || (end && end->op == op);
              });
              return true;
            }),
            20);
}

TEST_P(Altered, AnAnswerThatIsDroppedConvictsNobody) {
  EXPECT_GT(held([](History& history, std::size_t at) {
              if (!std::holds_alternative<ReturnEvent>(history.events[at])) return false;
              history.events.erase(history.events.begin() + static_cast<std::ptrdiff_t>(at));
              return true;
            }),
            50);
}

// --- tokens ---

TEST_P(Altered, AnAckWithAnotherTokenThatWasAcceptedIsConvicted) {
  const int altered = convicted([](History& history, std::size_t at) {
    const auto* end = std::get_if<ReturnEvent>(&history.events[at]);
    if (!end || end->outcome != OutcomeKind::ok) return false;
    const CallEvent* call = call_of(history, end->op);
    if (!call || !std::holds_alternative<Ack>(call->request)) return false;
    const JobId id = std::get<Ack>(call->request).hold.job_id;
    // Of a job that is done already it may be taken, where the profile says so.
    for (std::size_t before = 0; before < at; ++before) {
      const auto* earlier = std::get_if<ReturnEvent>(&history.events[before]);
      const CallEvent* made = earlier ? call_of(history, earlier->op) : nullptr;
      if (made && earlier->outcome == OutcomeKind::ok &&
          std::holds_alternative<Ack>(made->request) &&
          std::get<Ack>(made->request).hold.job_id == id)
        return false;
    }
    std::get<Ack>(const_cast<CallEvent*>(call)->request).hold.token = "forged";
    return true;
  });
  EXPECT_GT(altered, profile_.fence == Fence::none ? -1 : 1);
}

TEST_P(Altered, ATokenThatIsHandedOutTwiceIsConvicted) {
  const int altered = convicted([&](History& history, std::size_t at) {
    auto* end = std::get_if<ReturnEvent>(&history.events[at]);
    auto* claims = end ? std::get_if<Claims>(&end->response) : nullptr;
    if (!claims || claims->claims.size() != 1) return false;
    Claim& claim = claims->claims.front();
    for (std::size_t before = 0; before < at; ++before) {
      const auto* earlier = std::get_if<ReturnEvent>(&history.events[before]);
      const auto* others = earlier ? std::get_if<Claims>(&earlier->response) : nullptr;
      if (!others) continue;
      for (const Claim& other : others->claims)
        if (other.job.id == claim.job.id) {
          claim.token = other.token;
          return true;
        }
    }
    return false;
  });
  EXPECT_GT(altered, 0);
}

// --- instants ---

TEST_P(Altered, ALeaseThatIsGrantedForATickTooLongIsConvicted) {
  EXPECT_GT(convicted(
                [&](History& history, std::size_t at) {
                  auto* end = std::get_if<ReturnEvent>(&history.events[at]);
                  auto* claims = end ? std::get_if<Claims>(&end->response) : nullptr;
                  if (!claims || claims->claims.empty()) return false;
                  claims->claims.front().expires_at += profile_.time_resolution * 2;
                  return true;
                },
                {"LEASE-1", "LEASE-7"}),
            5);
}

TEST_P(Altered, ADeliveryBeforeTheRunTimeIsConvicted) {
  if (!profile_.has("schedule_at_enqueue")) GTEST_SKIP() << "nothing is scheduled";
  EXPECT_GT(convicted([](History& history, std::size_t at) {
              auto* call = std::get_if<CallEvent>(&history.events[at]);
              auto* enqueue = call ? std::get_if<Enqueue>(&call->request) : nullptr;
              if (!enqueue || at + 1 >= history.events.size()) return false;
              const auto* end = std::get_if<ReturnEvent>(&history.events[at + 1]);
              const auto* made = end ? std::get_if<Enqueued>(&end->response) : nullptr;
              if (!made || end->outcome != OutcomeKind::ok || made->existed) return false;
              // Later than its first delivery.
              for (const Event& event : history.events) {
                const auto* claimed = std::get_if<ReturnEvent>(&event);
                const auto* claims = claimed ? std::get_if<Claims>(&claimed->response) : nullptr;
                if (!claims) continue;
                for (const Claim& claim : claims->claims)
                  if (claim.job.id == made->id) {
                    enqueue->job.run_at = call_of(history, claimed->op)->now + Duration{1000};
                    return true;
                  }
              }
              return false;
            }),
            3);
}

// --- answers ---

TEST_P(Altered, AJobThatIsHandedOutWhileItIsHeldIsConvicted) {
  const int altered = convicted([](History& history, std::size_t at) {
    const auto* end = std::get_if<ReturnEvent>(&history.events[at]);
    const auto* claims = end ? std::get_if<Claims>(&end->response) : nullptr;
    if (!claims || claims->claims.empty()) return false;
    constexpr OpId another = 1'000'000;
    const CallEvent* mine = call_of(history, end->op);
    CallEvent call{another, mine->client, mine->now, mine->request};
    ReturnEvent answer{another, OutcomeKind::ok, *claims, {}};
    for (Claim& claim : std::get<Claims>(answer.response).claims) claim.token += "-again";
    const auto behind = history.events.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    history.events.insert(history.events.insert(behind, std::move(answer)), std::move(call));
    return true;
  });
  EXPECT_GT(altered, 5);
}

TEST_P(Altered, APayloadThatComesBackChangedIsConvicted) {
  EXPECT_GT(convicted([](History& history, std::size_t at) {
              auto* end = std::get_if<ReturnEvent>(&history.events[at]);
              auto* claims = end ? std::get_if<Claims>(&end->response) : nullptr;
              if (!claims || claims->claims.empty()) return false;
              claims->claims.front().job.payload += "!";
              return true;
            }),
            5);
}

// --- order ---

// An answer that comes before its call is no history; an answer that comes later is one.
TEST_P(Altered, AnAnswerThatComesLaterConvictsNobody) {
  EXPECT_GT(
      held([](History& history, std::size_t at) {
        if (at + 1 >= history.events.size()) return false;
        if (!std::holds_alternative<ReturnEvent>(history.events[at]) ||
            !std::holds_alternative<CallEvent>(history.events[at + 1]))
          return false;
        const auto& end = std::get<ReturnEvent>(history.events[at]);
        if (call_of(history, end.op)->client == std::get<CallEvent>(history.events[at + 1]).client)
          return false;
        std::swap(history.events[at], history.events[at + 1]);
        return true;
      }),
      20);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Altered, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
