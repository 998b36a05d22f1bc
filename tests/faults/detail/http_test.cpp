// What reaches the server that is no request, or not a whole one, or too large a one.
#include <gtest/gtest.h>

#include <thread>

#include "faults/detail/http_client.h"
#include "faults/detail/http_server.h"
#include "harness/contract/random.h"
#include "tests/faults/raw_http.h"

namespace assay::http {
namespace {

using faults_test::request;
using faults_test::said_to;
using faults_test::steady;
using faults_test::Wire;

class HttpServer : public testing::Test {
 protected:
  HttpServer() {
    auto started = Server::start({"127.0.0.1", 0}, [](const Request& asked) {
      return Answer{200, {}, asked.method + " " + asked.target + " " + asked.body};
    });
    CHECK(started.ok());
    server_ = std::move(*started);
    port_ = server_->endpoint().port;
  }

  static std::string answer(const std::string& body) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
  }
  void expect_alive() {
    const auto answered = ask({"127.0.0.1", port_}, {"POST", "/x", "", "body"});
    ASSERT_TRUE(answered.ok()) << answered.error().message;
    EXPECT_EQ(answered->body, "POST /x body");
  }

  std::unique_ptr<Server> server_;
  int port_ = 0;
};

TEST_F(HttpServer, KeepsAConnectionAndTakesRequestsBeforeTheyAreAnswered) {
  const Wire wire = Wire::to(port_);
  const std::string expected = answer("GET /1 ") + answer("POST /2 two") + answer("GET /3 ");
  wire.say(request("GET", "/1") + request("POST", "/2", "two") + request("GET", "/3"));
  std::string heard;
  while (!heard.ends_with("GET /3 ") && wire.is_readable(60'000)) heard += wire.hear(1);
  EXPECT_EQ(steady(heard), expected);
  wire.say(request("GET", "/4", "", "Connection: close\r\n"));
  EXPECT_NE(wire.hear_all().find("GET /4 "), std::string::npos);
}

TEST_F(HttpServer, TakesABodyInChunks) {
  const std::string heard =
      said_to(port_,
              "POST /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: "
              "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  EXPECT_TRUE(heard.ends_with("\r\n\r\nPOST /c abcde")) << heard;
}

TEST_F(HttpServer, TakesARequestByteByByte) {
  const Wire wire = Wire::to(port_);
  for (const char letter : request("POST", "/slow", "abc", "Connection: close\r\n"))
    wire.say({&letter, 1});
  EXPECT_TRUE(wire.hear_all().ends_with("POST /slow abc"));
}

TEST_F(HttpServer, EndsTheConnectionOfAnOldClient) {
  EXPECT_TRUE(said_to(port_, "GET /old HTTP/1.0\r\n\r\n").ends_with("GET /old "));
}

TEST_F(HttpServer, RefusesWhatIsNoHttp) {
  for (const std::string& garbage :
       {std::string("GARBAGE\r\n\r\n"), std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03", 10),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET  / HTTP/1.1\r\n: x\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n0\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")}) {
    const std::string heard = said_to(port_, garbage);
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 400 Bad Request\r\n")) << garbage << heard;
    EXPECT_TRUE(heard.ends_with("\r\n\r\n400 Bad Request")) << heard;
  }
  expect_alive();
}

TEST_F(HttpServer, RefusesWhatIsTooLarge) {
  EXPECT_TRUE(said_to(port_, "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(said_to(port_, "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(said_to(port_, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n" +
                                 std::string(0x200000, 'x'))
                  .starts_with("HTTP/1.1 413 "));
  expect_alive();
}

TEST_F(HttpServer, OutlivesRandomBytes) {
  Random random(3);
  const std::string whole = request("POST", "/x", "{\"a\":1}");
  for (int i = 0; i < 300; ++i) {
    std::string spoilt = whole.substr(0, 1 + random.below(whole.size()));
    for (std::uint64_t many = random.below(4); many > 0; --many)
      spoilt[random.below(spoilt.size())] = static_cast<char>(random.below(256));
    const Wire wire = Wire::to(port_);
    wire.say(spoilt);
    wire.end();
    wire.hear_all();
  }
  expect_alive();
}

TEST_F(HttpServer, DoesNotWaitForSlowClients) {
  std::vector<Wire> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(Wire::to(port_));
    slow.back().say("POST / HTTP/1.1\r\nContent-Le");
  }
  expect_alive();
}

TEST_F(HttpServer, SaysWhereItCannotListen) {
  const auto second = Server::start({"127.0.0.1", port_}, nullptr);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", port_));
}

TEST(HttpClient, ReadsUrls) {
  EXPECT_EQ(endpoint_from("http://127.0.0.1:80", 1)->port, 80);
  EXPECT_EQ(endpoint_from("http://host/", 8474)->host, "host");
  EXPECT_EQ(endpoint_from("http://host", 8474)->port, 8474);
  EXPECT_EQ(endpoint_from("http://[::1]:90", 1)->host, "::1");
  EXPECT_EQ(endpoint_from("http://[::1]", 7)->port, 7);
  for (const char* wrong : {"", "127.0.0.1:80", "https://x", "http://", "http://x:0", "http://x:y",
                            "http://x:70000", "http://u@x", "http://x/path"})
    EXPECT_EQ(endpoint_from(wrong, 1).error().code, ErrorCode::invalid) << wrong;
}

TEST(HttpClient, SaysThatNobodyIsThere) {
  proxy_test::Store gone;
  const int port = gone.port();
  gone.close();
  const auto answer = ask({"127.0.0.1", port}, {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(answer.error()));
}

TEST(HttpClient, DoesNotKnowWhatASilentServerDid) {
  const proxy_test::Store store;
  std::jthread hangs_up([&] {
    const Wire wire = store.accept();
    wire.hear(4);
  });
  const auto answer = ask({"127.0.0.1", store.port()}, {"POST", "/", "", "x"});
  ASSERT_FALSE(answer.ok());
  EXPECT_FALSE(is_definite(answer.error()));
}

}  // namespace
}  // namespace assay::http
