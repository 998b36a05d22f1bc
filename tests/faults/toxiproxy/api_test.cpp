// The API as the real server 2.12.0 was heard to speak it, byte for byte.
#include <gtest/gtest.h>

#include "faults/toxiproxy/server.h"
#include "tests/faults/raw_http.h"

namespace assay::toxiproxy {
namespace {

using faults_test::asked;
using faults_test::port_in;
using proxy_test::Store;

class Api : public testing::Test {
 protected:
  Api() {
    auto started = Server::start({"127.0.0.1", 0, 7});
    CHECK(started.ok());
    server_ = std::move(*started);
    port_ = port_in(server_->url());
  }

  std::string ask(const std::string& method, const std::string& path,
                  const std::string& body = "") {
    return asked(port_, method, path, body);
  }
  std::string body(const std::string& method, const std::string& path,
                   const std::string& sent = "") {
    const std::string answer = ask(method, path, sent);
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  // As Go's http.Error has it.
  static std::string complaint(const std::string& status, const std::string& body) {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: "
        "nosniff\r\nContent-Length: {}\r\n\r\n{}",
        status, body.size(), body);
  }
  static std::string told(const std::string& status, const std::string& body) {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
        body.size(), body);
  }
  static std::string bad_body(const std::string& why) {
    return complaint("400 Bad Request",
                     "{\"error\":\"bad request body: " + why + "\",\"status\":400}\n");
  }

  void make(const std::string& name) {
    ASSERT_TRUE(server_->proxies().add({name, "", "127.0.0.1:1"}).ok());
  }
  std::string listen(const std::string& name) { return server_->proxies().get(name)->listen; }

  std::unique_ptr<Server> server_;
  int port_ = 0;
};

constexpr const char* empty_204 = "HTTP/1.1 204 No Content\r\n\r\n";
constexpr const char* empty_405 = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";

TEST_F(Api, TellsItsVersion) {
  EXPECT_EQ(ask("GET", "/version"),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=utf-8\r\nContent-Length: "
            "22\r\n\r\n{\"version\": \"2.12.0\"}\n");
}

TEST_F(Api, HasNoProxiesAtFirst) { EXPECT_EQ(ask("GET", "/proxies"), told("200 OK", "{}")); }

TEST_F(Api, CreatesAProxyAndTellsWhereItListens) {
  const std::string answer =
      ask("POST", "/proxies", R"({"name":"a","upstream":"nonsense","listen":"127.0.0.1:0"})");
  EXPECT_EQ(answer, told("201 Created", "{\"name\":\"a\",\"listen\":\"" + listen("a") +
                                            "\",\"upstream\":\"nonsense\",\"enabled\":true,"
                                            "\"Logger\":{},\"toxics\":[]}"));
  EXPECT_TRUE(listen("a").starts_with("127.0.0.1:"));
  EXPECT_FALSE(listen("a").ends_with(":0"));
}

TEST_F(Api, CreatesADisabledProxyWithoutListening) {
  EXPECT_EQ(body("POST", "/proxies", R"({"name":"c","upstream":"u:1","enabled":false})"),
            R"({"name":"c","listen":"","upstream":"u:1","enabled":false,"Logger":{},"toxics":[]})");
}

TEST_F(Api, IgnoresWhatIsBehindTheFirstValueAndTheCaseOfFields) {
  EXPECT_TRUE(ask("POST", "/proxies", R"({"NAME":"a","Upstream":"u:1"} trailing)")
                  .starts_with("HTTP/1.1 201 Created\r\n"));
}

TEST_F(Api, ComplainsOfABadBodyAsGoDoes) {
  EXPECT_EQ(ask("POST", "/proxies"), bad_body("EOF"));
  EXPECT_EQ(ask("POST", "/proxies", "{\"name\":\"a\""), bad_body("unexpected EOF"));
  EXPECT_EQ(ask("POST", "/proxies", "{x"),
            bad_body("invalid character 'x' looking for beginning of object key string"));
  EXPECT_EQ(ask("POST", "/proxies", "x"),
            bad_body("invalid character 'x' looking for beginning of value"));
  EXPECT_EQ(ask("POST", "/proxies", "{\"name\":1}"),
            bad_body("json: cannot unmarshal number into Go struct field Proxy.name of type "
                     "string"));
  EXPECT_EQ(ask("POST", "/proxies", "[]"),
            bad_body("json: cannot unmarshal array into Go value of type toxiproxy.Proxy"));
}

TEST_F(Api, WantsANameAndAnUpstream) {
  EXPECT_EQ(ask("POST", "/proxies", "{}"),
            complaint("400 Bad Request",
                      "{\"error\":\"missing required field: name\",\"status\":400}\n"));
  EXPECT_EQ(ask("POST", "/proxies", R"({"name":"a<b"})"),
            complaint("400 Bad Request",
                      "{\"error\":\"missing required field: upstream\",\"status\":400}\n"));
}

TEST_F(Api, TellsWhyItCannotListen) {
  const Store taken;
  EXPECT_EQ(
      ask("POST", "/proxies", R"({"name":"a","upstream":"u:1","listen":"bogus"})"),
      complaint("500 Internal Server Error",
                "{\"error\":\"listen tcp: address bogus: missing port in address\",\"status\":500}"
                "\n"));
  EXPECT_EQ(
      ask("POST", "/proxies", R"({"name":"a","upstream":"u:1","listen":")" + taken.place() + "\"}"),
      complaint("500 Internal Server Error", "{\"error\":\"listen tcp " + taken.place() +
                                                 ": bind: address already in use\","
                                                 "\"status\":500}\n"));
  EXPECT_EQ(ask("POST", "/proxies", R"({"name":"a","upstream":"u:1","listen":"127.0.0.1:99999"})"),
            complaint("500 Internal Server Error",
                      "{\"error\":\"listen tcp: address 99999: invalid port\",\"status\":500}\n"));
}

TEST_F(Api, RefusesASecondProxyOfAName) {
  make("a");
  EXPECT_EQ(ask("POST", "/proxies", R"({"name":"a","upstream":"u:1"})"),
            complaint("409 Conflict", "{\"error\":\"proxy already exists\",\"status\":409}\n"));
}

TEST_F(Api, UpdatesByPostAndByPatch) {
  make("a");
  const std::string place = listen("a");
  EXPECT_EQ(body("POST", "/proxies/a", R"({"enabled":false,"name":"z"})"),
            "{\"name\":\"a\",\"listen\":\"" + place +
                "\",\"upstream\":\"127.0.0.1:1\",\"enabled\":false,\"Logger\":{},\"toxics\":[]}");
  EXPECT_EQ(ask("PATCH", "/proxies/a", R"({"enabled":true,"upstream":"u:2"})"),
            told("200 OK", "{\"name\":\"a\",\"listen\":\"" + place +
                               "\",\"upstream\":\"u:2\",\"enabled\":true,\"Logger\":{},\"toxics\":"
                               "[]}"));
}

TEST_F(Api, KeepsThePlaceOfADisabledProxyAsItWasWritten) {
  ask("POST", "/proxies", R"({"name":"c","upstream":"u:1","enabled":false})");
  EXPECT_EQ(
      body("POST", "/proxies/c", R"({"listen":"127.0.0.1:0"})"),
      R"({"name":"c","listen":"127.0.0.1:0","upstream":"u:1","enabled":false,"Logger":{},"toxics":[]})");
}

TEST_F(Api, DeletesAProxy) {
  make("a");
  EXPECT_EQ(ask("DELETE", "/proxies/a"), empty_204);
  const std::string missing =
      complaint("404 Not Found", "{\"error\":\"proxy not found\",\"status\":404}\n");
  EXPECT_EQ(ask("DELETE", "/proxies/a"), missing);
  EXPECT_EQ(ask("GET", "/proxies/a"), missing);
  EXPECT_EQ(ask("POST", "/proxies/a", "{}"), missing);
  EXPECT_EQ(ask("GET", "/proxies/a/toxics"), missing);
  EXPECT_EQ(ask("POST", "/proxies/a/toxics", "x"), missing);
}

TEST_F(Api, CreatesToxicsWithTheirDefaults) {
  make("a");
  EXPECT_EQ(
      ask("POST", "/proxies/a/toxics", R"({"type":"latency","attributes":{"latency":100,"x":1}})"),
      told(
          "200 OK",
          R"({"attributes":{"latency":100,"jitter":0},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1})"));
  EXPECT_EQ(
      body("POST", "/proxies/a/toxics",
           R"({"type":"slicer","attributes":{"delay":100},"stream":"UpStream","toxicity":0.3})"),
      R"({"attributes":{"average_size":0,"size_variation":0,"delay":100},"name":"slicer_UpStream","type":"slicer","stream":"UpStream","toxicity":0.3})");
  EXPECT_EQ(
      body("POST", "/proxies/a/toxics", R"({"type":"noop","attributes":null})"),
      R"({"attributes":{},"name":"noop_downstream","type":"noop","stream":"downstream","toxicity":1})");
  EXPECT_EQ(
      body("GET", "/proxies/a/toxics"),
      R"([{"attributes":{"average_size":0,"size_variation":0,"delay":100},"name":"slicer_UpStream","type":"slicer","stream":"UpStream","toxicity":0.3},{"attributes":{"latency":100,"jitter":0},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1},{"attributes":{},"name":"noop_downstream","type":"noop","stream":"downstream","toxicity":1}])");
}

TEST_F(Api, ComplainsOfToxicsInTheOrderOfTheOriginal) {
  make("a");
  const auto refused = [](const std::string& why) {
    return complaint("400 Bad Request", "{\"error\":\"" + why + "\",\"status\":400}\n");
  };
  const std::string path = "/proxies/a/toxics";
  EXPECT_EQ(ask("POST", path, R"({"type":"xx","stream":"s"})"),
            refused("stream was invalid, can be either upstream or downstream"));
  EXPECT_EQ(ask("POST", path, R"({"type":"down"})"), refused("invalid toxic type"));
  const std::string wrong = R"({"type":"latency","attributes":{"latency":"x"}})";
  const std::string unread =
      "json: cannot unmarshal string into Go struct field LatencyToxic.attributes.latency of type "
      "int64";
  EXPECT_EQ(ask("POST", path, wrong), bad_body(unread));
  EXPECT_EQ(ask("POST", path, R"({"type":"latency","attributes":{"latency":1.5}})"),
            bad_body("json: cannot unmarshal number 1.5 into Go struct field "
                     "LatencyToxic.attributes.latency of type int64"));
  ask("POST", path, R"({"type":"latency"})");
  EXPECT_EQ(ask("POST", path, wrong),
            complaint("409 Conflict", "{\"error\":\"toxic already exists\",\"status\":409}\n"));
  EXPECT_EQ(ask("POST", path + "/latency_downstream", R"({"attributes":{"latency":"x"}})"),
            bad_body(unread));
}

TEST_F(Api, MergesTheAttributesOfAnUpdate) {
  make("a");
  ask("POST", "/proxies/a/toxics", R"({"type":"latency","attributes":{"latency":100}})");
  const std::string updated =
      R"({"attributes":{"latency":100,"jitter":3},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":0.25})";
  for (const char* method : {"PATCH", "POST"})
    EXPECT_EQ(ask(method, "/proxies/a/toxics/latency_downstream",
                  R"({"attributes":{"jitter":3},"toxicity":0.25,"name":"z","stream":"upstream"})"),
              told("200 OK", updated));
  EXPECT_EQ(body("GET", "/proxies/a/toxics/latency_downstream"), updated);
  EXPECT_EQ(ask("DELETE", "/proxies/a/toxics/latency_downstream"), empty_204);
  for (const char* method : {"GET", "POST", "PATCH", "DELETE"})
    EXPECT_EQ(ask(method, "/proxies/a/toxics/latency_downstream", "{}"),
              complaint("404 Not Found", "{\"error\":\"toxic not found\",\"status\":404}\n"));
}

TEST_F(Api, Populates) {
  const std::string answer =
      ask("POST", "/populate", R"([{"name":"p","upstream":"u:1","listen":"127.0.0.1:0"}])");
  const std::string place = listen("p");
  const std::string proxy = "{\"name\":\"p\",\"listen\":\"" + place +
                            "\",\"upstream\":\"u:1\",\"enabled\":true,\"Logger\":{},\"toxics\":[]}";
  EXPECT_EQ(answer, told("201 Created", "{\"proxies\":[" + proxy + "]}"));
  EXPECT_EQ(body("POST", "/populate", "[]"), "{\"proxies\":null}");
  EXPECT_EQ(
      ask("POST", "/populate"),
      told("400 Bad Request", R"({"error":"bad request body: EOF","status":400,"proxies":null})"));
  EXPECT_EQ(
      ask("POST", "/populate", R"([{"name":"x"}])"),
      told(
          "400 Bad Request",
          R"({"error":"missing required field: upstream at proxy 1","status":400,"proxies":null})"));
}

TEST_F(Api, TellsWhatItPopulatedBeforeItFailed) {
  const std::string answer =
      ask("POST", "/populate",
          R"([{"name":"p","upstream":"u:1"},{"name":"q","upstream":"u:1","listen":"bogus"}])");
  EXPECT_EQ(answer,
            told("500 Internal Server Error",
                 "{\"error\":\"listen tcp: address bogus: missing port in "
                 "address\",\"status\":500,\"proxies\":[{\"name\":\"p\",\"listen\":\"" +
                     listen("p") +
                     "\",\"upstream\":\"u:1\",\"enabled\":true,\"Logger\":{},\"toxics\":[]}]}"));
}

TEST_F(Api, LeavesAPopulatedProxyWithTheSamePlacesAlone) {
  make("p");
  const std::string place = listen("p");
  ask("POST", "/proxies/p/toxics", R"({"type":"noop"})");
  EXPECT_NE(
      body("POST", "/populate",
           R"([{"name":"p","upstream":"127.0.0.1:1","enabled":false,"listen":")" + place + "\"}]")
          .find("noop_downstream"),
      std::string::npos);
  EXPECT_TRUE(server_->proxies().get("p")->enabled);
  EXPECT_EQ(body("POST", "/populate",
                 R"([{"name":"p","upstream":"127.0.0.1:2","listen":")" + place + "\"}]")
                .find("noop_downstream"),
            std::string::npos);
}

TEST_F(Api, LeavesAProxyDisabledThatItCouldNotReplace) {
  make("p");
  const Store taken;
  EXPECT_TRUE(ask("POST", "/populate",
                  R"([{"name":"p","upstream":"u:1","listen":")" + taken.place() + "\"}]")
                  .starts_with("HTTP/1.1 500 "));
  ASSERT_TRUE(server_->proxies().get("p").ok());
  EXPECT_FALSE(server_->proxies().get("p")->enabled);
}

TEST_F(Api, Resets) {
  make("a");
  ask("POST", "/proxies/a/toxics", R"({"type":"noop"})");
  ask("POST", "/proxies/a", R"({"enabled":false})");
  EXPECT_EQ(ask("POST", "/reset"), empty_204);
  EXPECT_TRUE(server_->proxies().get("a")->enabled);
  EXPECT_TRUE(server_->proxies().get("a")->toxics.empty());
}

TEST_F(Api, KnowsItsRoutesAndTheirMethods) {
  make("a");
  for (const char* path : {"/nope", "/proxies/", "/", "/proxies/a/", "/proxies/a/toxic",
                           "/proxies/a/toxics/b/c", "/version/x", "//proxies"})
    EXPECT_EQ(ask("GET", path), complaint("404 Not Found", "404 page not found\n")) << path;
  for (const auto& [method, path] :
       std::vector<std::pair<const char*, const char*>>{{"PUT", "/proxies"},
                                                        {"GET", "/reset"},
                                                        {"POST", "/version"},
                                                        {"HEAD", "/version"},
                                                        {"GET", "/populate"},
                                                        {"PUT", "/proxies/a"},
                                                        {"DELETE", "/proxies/a/toxics"}})
    EXPECT_EQ(ask(method, path), empty_405) << method << path;
  EXPECT_TRUE(ask("GET", "/proxies%2Fa?x=y").starts_with("HTTP/1.1 200 OK"));
}

TEST_F(Api, TurnsBrowsersAway) {
  const std::string answer = faults_test::said_to(
      port_, faults_test::request("POST", "/reset", "",
                                  "User-Agent: Mozilla/5.0\r\nConnection: close\r\n"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 Forbidden\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nUser agent not allowed\n")) << answer;
}

TEST_F(Api, GivesEachAnswerAnIdAndADate) {
  const std::string answer = faults_test::said_to(
      port_, faults_test::request("GET", "/version", "", "Connection: close\r\n"));
  EXPECT_TRUE(std::regex_search(answer, std::regex("X-Toxiproxy-Request-Id: [0-9a-f]{20}\r\n")));
  EXPECT_TRUE(std::regex_search(
      answer, std::regex("Date: [A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} [0-9:]{8} GMT\r\n")))
      << answer;
}

TEST_F(Api, EscapesNamesAsGoDoes) {
  EXPECT_NE(body("POST", "/proxies", R"({"name":"a<b>&c\"ü","upstream":"u:1"})")
                .find(R"({"name":"a\u003cb\u003e\u0026c\"ü",)"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::toxiproxy
