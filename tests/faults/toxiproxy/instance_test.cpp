// Which Toxiproxy is used.
#include "faults/toxiproxy/instance.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "faults/toxiproxy/server.h"
#include "tests/faults/raw_http.h"
#include "tests/faults/toxiproxy/real_server.h"

namespace assay::toxiproxy {
namespace {

TEST(ToxiproxyInstance, IsOursWhereThereIsNoOther) {
  const auto found = Instance::find({.seed = 9, .program = "no-such-toxiproxy-server"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ((*found)->kind(), InstanceKind::embedded);
  EXPECT_TRUE((*found)->client().version().ok());
  EXPECT_EQ((*found)->description(), "the embedded proxy at " + (*found)->client().url() +
                                         " (seed 9): no no-such-toxiproxy-server is on PATH");
}

TEST(ToxiproxyInstance, IsTheOneThatIsNamed) {
  const auto server = Server::start({"127.0.0.1", 0, 1});
  ASSERT_TRUE(server.ok());
  const auto named = Instance::find({.url = (*server)->url()});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ((*named)->kind(), InstanceKind::named);
  EXPECT_EQ((*named)->description(),
            "Toxiproxy 2.12.0 at " + (*server)->url() + ", which --toxiproxy names");
  const auto by_environment = Instance::find({.named_by_environment = (*server)->url()});
  ASSERT_TRUE(by_environment.ok());
  EXPECT_TRUE((*by_environment)->description().ends_with("which ASSAY_TOXIPROXY_URL names"));
}

TEST(ToxiproxyInstance, IsNoOtherWhereTheNamedOneDoesNotAnswer) {
  proxy_test::Store gone;
  const std::string url = "http://" + gone.place();
  gone.close();
  EXPECT_EQ(Instance::find({.url = url}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(Instance::find({.url = "nonsense"}).error().code, ErrorCode::invalid);
}

TEST(ToxiproxyInstance, IsToldOfWhatTheEnvironmentNames) {
  ::setenv("ASSAY_TOXIPROXY_URL", "http://x:1", 1);
  EXPECT_EQ(wanted_here(std::nullopt, 1).named_by_environment, "http://x:1");
  ::unsetenv("ASSAY_TOXIPROXY_URL");
  EXPECT_EQ(wanted_here("http://y:2", 1).named_by_environment, std::nullopt);
}

TEST(ToxiproxyInstance, SaysWhyAServerOfOursDidNotStart) {
  const auto found = Instance::find({.program = "/bin/false"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "the toxiproxy-server ended with status 1");
}

TEST(ToxiproxyInstance, OfTheRealServerEndsWithUs) {
  auto real = real_server();
  if (!real) GTEST_SKIP() << no_real_server;
  EXPECT_NE(real->description().find(real_program()), std::string::npos);
  const Client client = real->client();
  EXPECT_TRUE(client.version().ok());
  real.reset();
  EXPECT_EQ(client.version().error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace assay::toxiproxy
