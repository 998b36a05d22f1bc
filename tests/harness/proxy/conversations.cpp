#include "tests/harness/proxy/conversations.h"

#include <fmt/format.h>

#include "harness/contract/check.h"
#include "harness/proxy/detail/postgres_messages.h"

namespace assay::proxy_test {

using namespace std::string_literals;
using namespace proxy;

namespace {

std::size_t next_piece(std::size_t left, Pieces how, Random& random) {
  if (how == Pieces::whole) return left;
  if (how == Pieces::bytes) return 1;
  return 1 + random.below(std::min<std::size_t>(left, 1 + random.below(40)));
}

std::string number(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

}  // namespace

std::vector<Sight> sights(const Talk& talk, Pieces how, Random random) {
  const auto conversation = talk.is_postgres ? postgres_conversation() : redis_conversation();
  std::vector<Sight> all;
  std::size_t ends[2] = {0, 0};
  for (const Turn& turn : talk.turns) {
    std::size_t& end = ends[turn.side == Side::client ? 0 : 1];
    std::string_view left = turn.bytes;
    while (!left.empty()) {
      std::string_view piece = left.substr(0, next_piece(left.size(), how, random));
      left.remove_prefix(piece.size());
      while (!piece.empty()) {
        const Reading reading =
            turn.side == Side::client ? conversation->client(piece) : conversation->server(piece);
        CHECK(reading.size <= piece.size());
        if (reading.seen == Seen::refused) {
          all.push_back({turn.side, 0, reading.seen});
          CHECK(!conversation->why().empty());
          return all;
        }
        CHECK(reading.size > 0);
        CHECK(reading.seen != Seen::nothing || reading.size == piece.size());
        piece.remove_prefix(reading.size);
        end += reading.size;
        if (reading.seen == Seen::request) conversation->delivered();
        if (reading.seen != Seen::nothing) all.push_back({turn.side, end, reading.seen});
      }
    }
  }
  return all;
}

std::string told(const std::vector<Sight>& sights) {
  static const std::vector<std::string> names = {"nothing", "part", "pass", "request", "answer",
                                                 "push",    "copy", "drop", "reply",   "refused"};
  std::string text;
  for (const Sight& sight : sights)
    text += fmt::format("{}{}@{} ", sight.side == Side::client ? ">" : "<",
                        names[static_cast<std::size_t>(sight.seen)], sight.end);
  return text;
}

std::string pg(char type, std::string_view body) { return message(type, body); }

std::string pg_startup() {
  const std::string body = number(3 << 16) + "user\0me\0\0"s;
  return number(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

std::string pg_welcome(int pid) {
  return pg('R', number(0)) + pg('S', "server_version\00015\0"s) +
         pg('K', number(static_cast<std::uint32_t>(pid)) + "key!") + pg('Z', "I");
}

std::string resp(const std::vector<std::string>& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

static std::vector<Talk> postgres_talks() {
  const std::string tls = number(8) + number(80877103), gss = number(8) + number(80877104);
  const std::string cancel = number(16) + number(80877102) + number(4711) + "key!";
  const std::string row =
      pg('T', "\0\001a"s) + pg('D', "\0\1\0\0\0\0011"s) + pg('C', "SELECT 1\0"s);
  const std::string ready = pg('Z', "I");
  const auto talk = [&](std::string name, std::vector<Turn> more) {
    std::vector<Turn> turns{{Side::client, pg_startup()}, {Side::server, pg_welcome()}};
    turns.insert(turns.end(), more.begin(), more.end());
    return Talk{"postgres, " + name, true, turns};
  };
  const auto said = [](std::string bytes) { return Turn{Side::client, std::move(bytes)}; };
  const auto told = [](std::string bytes) { return Turn{Side::server, std::move(bytes)}; };
  const std::string group = pg('P', "\0select 1\0\0\0"s) + pg('B', "\0\0\0\0\0\0\0\0"s) +
                            pg('D', "P\0"s) + pg('E', "\0\0\0\0\0"s);
  const std::string group_answer = pg('1') + pg('2') + row;
  return {
      Talk{"postgres, asks for encryption",
           true,
           {said(gss), said(tls), said(pg_startup()), told(pg('R', number(5) + "salt")),
            said(pg('p', "md5secret\0"s)), told(pg_welcome()), said(pg('X'))}},
      Talk{"postgres, cancels", true, {said(cancel)}},
      talk("a query", {said(pg('Q', "select 1\0"s)), told(row + ready), said(pg('X'))}),
      talk("queries at once", {said(pg('Q', "select 1\0"s) + pg('Q', "select 2\0"s)),
                               told(row + ready + row + ready)}),
      talk("an error", {said(pg('Q', "x\0"s)), told(pg('E', "SERROR\0C42601\0Mno\0\0"s) + ready)}),
      talk("a prepared statement", {said(group + pg('S')), told(group_answer + ready)}),
      talk("a pipeline", {said(group + pg('S') + group + pg('S')),
                          told(group_answer + ready + group_answer + ready)}),
      talk("a flush", {said(group + pg('H')), told(group_answer), said(pg('S')), told(ready)}),
      talk("a flush that fails", {said(group + pg('H')), told(pg('1') + pg('E', "Mno\0\0"s)),
                                  said(group + pg('H')), said(pg('S')), told(ready)}),
      talk("flushes at once", {said(group + pg('H') + group + pg('H') + pg('S')),
                               told(group_answer + group_answer + ready)}),
      talk("a flush of nothing", {said(pg('H')), said(pg('Q', "select 1\0"s)), told(row + ready)}),
      talk("notices",
           {told(pg('A', "\0\0\0\1c\0p\0"s) + pg('N', "Mhi\0\0"s)), said(pg('Q', "select 1\0"s)),
            told(pg('N', "Mhi\0\0"s) + row + ready), told(pg('S', "TimeZone\0UTC\0"s))}),
      talk("a function call", {said(pg('F', "12345678")), told(pg('V', "1234") + ready)}),
      talk("a copy", {said(pg('Q', "copy t from stdin\0"s)), told(pg('G', "\0\0\0"s)),
                      said(pg('d', "1\n") + pg('c')), told(pg('C', "COPY 1\0"s) + ready)}),
      talk("garbage of the client", {said("GET / HTTP/1.1\r\n\r\n")}),
      talk("an absurd length", {said("Q\x7f\xff\xff\xff"s)}),
      talk("garbage of the server", {said(pg('Q', "x\0"s)), told("Z\0\0\0\1"s)}),
      Talk{"postgres, TLS at once", true, {said("\x16\x03\x01\x02\x00\x01"s)}},
      Talk{"postgres, another version", true, {said(number(8) + number(2 << 16))}},
  };
}

static std::vector<Talk> redis_talks() {
  const auto talk = [](std::string name, std::vector<std::string> turns) {
    Talk talk{"redis, " + std::move(name), false, {}};
    Side side = Side::client;
    for (std::string& turn : turns) {
      talk.turns.push_back({side, std::move(turn)});
      side = side == Side::client ? Side::server : Side::client;
    }
    return talk;
  };
  const auto subscribed = [](char type, std::string verb, std::string name, int count) {
    return fmt::format("{}3\r\n${}\r\n{}\r\n${}\r\n{}\r\n:{}\r\n", type, verb.size(), verb,
                       name.size(), name, count);
  };
  const auto published = [](char type, std::string name, std::string text) {
    return fmt::format("{}3\r\n$7\r\nmessage\r\n${}\r\n{}\r\n${}\r\n{}\r\n", type, name.size(),
                       name, text.size(), text);
  };
  const std::string subscriptions =
      subscribed('*', "subscribe", "a", 1) + subscribed('*', "subscribe", "b", 2);
  return {
      talk("a command",
           {resp({"SET", "k", "v\r\nw"}), "+OK\r\n", resp({"GET", "k"}), "$4\r\nv\r\nw\r\n"}),
      talk("an error", {resp({"LPOP"}), "-ERR wrong number of arguments\r\n"}),
      talk("a pipeline", {resp({"GET", "a"}) + resp({"GET", "b"}) + resp({"PING"}),
                          "$-1\r\n$1\r\nb\r\n+PONG\r\n"}),
      talk("inline", {"\r\nPING\r\nSET k v\n", "+PONG\r\n+OK\r\n"}),
      talk("nested replies",
           {resp({"EVALSHA", "abc", "0"}), "*3\r\n*2\r\n:1\r\n$-1\r\n*0\r\n*-1\r\n", resp({"PING"}),
            "+PONG\r\n"}),
      talk("version 3",
           {resp({"HELLO", "3"}), "%2\r\n$5\r\nproto\r\n:3\r\n+modules\r\n~2\r\n#t\r\n_\r\n",
            resp({"X"}),
            "|1\r\n+ttl\r\n:3600\r\n*4\r\n,1.5\r\n(123456789012345678901234567890\r\n=7\r\ntxt:"
            "abc\r\n"
            "!5\r\nERR x\r\n",
            resp({"Y"}),
            "*?\r\n:1\r\n$?\r\n;3\r\nabc\r\n;2\r\nde\r\n;0\r\n%?\r\n+a\r\n:1\r\n.\r\n.\r\n"}),
      talk("subscribes",
           {resp({"SUBSCRIBE", "a", "b"}), subscriptions + published('*', "a", "hi"),
            resp({"PING"}), "*2\r\n$4\r\npong\r\n$0\r\n\r\n", resp({"UNSUBSCRIBE"}),
            subscribed('*', "unsubscribe", "a", 1) + subscribed('*', "unsubscribe", "b", 0),
            resp({"LRANGE", "l", "0", "2"}), published('*', "no", "message")}),
      talk("subscribes in version 3",
           {resp({"SUBSCRIBE", "a"}) + resp({"GET", "k"}),
            subscribed('>', "subscribe", "a", 1) + published('>', "a", "x") + "$-1\r\n" +
                published('>', "a", "y"),
            resp({"UNSUBSCRIBE", "a"}), subscribed('>', "unsubscribe", "a", 0)}),
      talk("may not subscribe",
           {resp({"SUBSCRIBE", "a", "b"}), "-NOPERM no\r\n", resp({"PING"}), "+PONG\r\n"}),
      talk("monitors",
           {resp({"MONITOR"}), "+OK\r\n+1339518083.107412 [0 127.0.0.1:60866] \"keys\" \"*\"\r\n",
            resp({"PING"}), "+1339518083.2 [0 127.0.0.1:1] \"ping\"\r\n+PONG\r\n"}),
      talk("is silent",
           {resp({"CLIENT", "REPLY", "SKIP"}) + resp({"SET", "k", "v"}) + resp({"PING"}),
            "+PONG\r\n",
            resp({"client", "reply", "off"}) + resp({"GET", "k"}) + resp({"CLIENT", "REPLY", "ON"}),
            "+OK\r\n"}),
      talk("TLS", {"\x16\x03\x01\x02\x00\x01"}),
      talk("an absurd count", {"*99999999999\r\n"}),
      talk("an absurd length", {"*1\r\n$99999999999\r\n"}),
      talk("garbage of the server", {resp({"PING"}), "HTTP/1.1 400\r\n"}),
      talk("a reply that is too deep", {resp({"PING"}),
                                        [] {
                                          std::string text;
                                          for (int i = 0; i < 100; ++i) text += "*1\r\n";
                                          return text;
                                        }()}),
      talk("a return within a number", {resp({"GET", "k"}), "$1\r1\r\n"}),
      talk("a replica", {resp({"PSYNC", "?", "-1"})}),
  };
}

std::vector<Talk> known_talks() {
  std::vector<Talk> all = postgres_talks();
  for (Talk& talk : redis_talks()) all.push_back(std::move(talk));
  return all;
}

}  // namespace assay::proxy_test
