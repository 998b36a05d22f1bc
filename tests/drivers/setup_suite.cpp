#include "tests/drivers/setup_suite.h"

#include "tests/drivers/child.h"

namespace assay::on_store {

TEST_P(SetupOnStore, MakesWhatIsAbsent) {
  Rig rig = this->rig({"setup_absent", Create::if_absent});
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  EXPECT_EQ(rig.state("one"), "ready");
  ASSERT_TRUE(rig.session->close().ok());
  ASSERT_TRUE(rig.driver->teardown().ok());
  ASSERT_TRUE(rig.driver->setup({"setup_absent", Create::if_absent}).ok());
  rig.session = rig.open("again");
  EXPECT_EQ(rig.state("one"), "not_found");
  ASSERT_TRUE(rig.driver->teardown().ok());
}

TEST_P(SetupOnStore, KeepsWhatIsThereUnlessItIsToBeMadeAnew) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "seen by its own driver only";
  Rig rig = this->rig({"setup_kept"});
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  ASSERT_TRUE(rig.commit({{}, {{"record", "v", {}}}, {}, {}, {}}).ok());
  {
    Rig other = this->rig({"setup_kept", Create::if_absent});
    EXPECT_EQ(other.state("one"), "ready");
    EXPECT_EQ(other.value("record"), "v@1");
    ASSERT_TRUE(other.session->enqueue(other.now(), Rig::job("two")).ok());
  }
  EXPECT_EQ(rig.state("two"), "ready");
  Rig anew = this->rig({"setup_kept", Create::anew});
  EXPECT_EQ(anew.state("one"), "not_found");
  ASSERT_TRUE(anew.driver->teardown().ok());
}

TEST_P(SetupOnStore, SharesWhatOneOfSeveralAtOnceMade) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "seen by its own process only";
  constexpr int rounds = 5, children = 4;
  for (int round = 0; round < rounds; ++round) {
    const std::string name = "setup_at_once_" + std::to_string(round);
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    std::vector<Child> all;
    for (int i = 0; i < children; ++i)
      all.emplace_back([&, i](const Child::Tell& tell) {
        ::close(gate[1]);
        char nothing = 0;
        static_cast<void>(!::read(gate[0], &nothing, 1));  // until everybody is there
        Rig rig = this->rig({name, Create::if_absent}, static_cast<std::uint64_t>(i));
        const auto made = rig.session->enqueue(rig.now(), Rig::job("job-" + std::to_string(i)));
        tell(made.ok() ? "ok" : made.error().message);
      });
    ::close(gate[0]);
    ::close(gate[1]);
    for (Child& child : all) EXPECT_EQ(child.next(), "ok");
    all.clear();
    Rig rig = this->rig({name, Create::never});
    for (int i = 0; i < children; ++i) EXPECT_EQ(rig.state("job-" + std::to_string(i)), "ready");
    ASSERT_TRUE(rig.driver->teardown().ok());
  }
}

TEST_P(SetupOnStore, AttachesToNothingThatNobodyMade) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "seen by its own driver only";
  Rig rig = this->rig();
  ASSERT_TRUE(rig.driver->teardown().ok());
  EXPECT_EQ(rig.driver->setup({"setup_nowhere", Create::never}).error().code, ErrorCode::not_found);
}

}  // namespace assay::on_store
