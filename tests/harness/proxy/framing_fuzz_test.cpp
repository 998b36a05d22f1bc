// The readers of both protocols against anything: whatever comes, they end, and see the same
// however it is cut into pieces.
#include <gtest/gtest.h>

#include "tests/harness/proxy/conversations.h"

namespace assay::proxy_test {
namespace {

constexpr int rounds = 4000;

std::string noise(Random& random) {
  std::string bytes(random.below(60), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

// One change, of a kind that protocols are likely to be wrong in.
void spoil(std::string& bytes, Random& random) {
  static const std::string pieces[] = {"\r\n",
                                       "*",
                                       "$",
                                       "-1",
                                       "99999999999",
                                       "?",
                                       ".\r\n",
                                       "|",
                                       ">",
                                       std::string("\0\0\0\4", 4),
                                       "\x7f\xff\xff\xff",
                                       "Z",
                                       "E",
                                       "S"};
  if (bytes.empty()) return;
  const std::size_t at = random.below(bytes.size());
  switch (random.below(5)) {
    case 0:
      bytes[at] = static_cast<char>(random.next());
      break;
    case 1:
      bytes.erase(at, 1 + random.below(8));
      break;
    case 2:
      bytes.insert(at, pieces[random.below(std::size(pieces))]);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(30)));
      break;
    default:
      bytes.insert(at, noise(random));
  }
}

TEST(FramingFuzz, SpoiltTalksEndAndAreSeenAlikeHoweverTheyCome) {
  const std::vector<Talk> talks = known_talks();
  const Random root(20261117);
  for (int round = 0; round < rounds; ++round) {
    Random random = root.fork(std::to_string(round));
    Talk talk = talks[random.below(talks.size())];
    if (talk.name == "postgres, cancels") continue;  // passed on as it comes
    for (auto changes = random.below(4); changes > 0; --changes)
      spoil(talk.turns[random.below(talk.turns.size())].bytes, random);
    const auto whole = sights(talk, Pieces::whole);
    ASSERT_EQ(told(sights(talk, Pieces::bytes)), told(whole)) << talk.name << ", round " << round;
    ASSERT_EQ(told(sights(talk, Pieces::random, random)), told(whole))
        << talk.name << ", round " << round;
  }
}

TEST(FramingFuzz, NoiseEnds) {
  const Random root(7);
  for (int round = 0; round < rounds; ++round) {
    Random random = root.fork(std::to_string(round));
    Talk talk{"noise", round % 2 == 0, {}};
    for (int i = 0; i < 4; ++i) {
      talk.turns.push_back({Side::client, noise(random)});
      talk.turns.push_back({Side::server, noise(random)});
    }
    const auto whole = sights(talk, Pieces::whole);
    ASSERT_EQ(told(sights(talk, Pieces::random, random)), told(whole)) << "round " << round;
  }
}

TEST(FramingFuzz, DescriptionsOfAnythingAreShort) {
  const Random root(9);
  for (int round = 0; round < rounds; ++round) {
    Random random = root.fork(std::to_string(round));
    std::string bytes = round % 2 == 0 ? resp({"SET", "k", "v"}) : pg('P', noise(random)) + pg('S');
    spoil(bytes, random);
    EXPECT_LE(proxy::describe_redis(bytes).size(), 80u);
    EXPECT_LE(proxy::describe_postgres(bytes).size(), 80u);
  }
}

}  // namespace
}  // namespace assay::proxy_test
