// Conversations of clients with servers as they go over the wire, and what is seen in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/random.h"
#include "harness/proxy/detail/conversation.h"

namespace assay::proxy_test {

enum class Side { client, server };

struct Turn {
  Side side;
  std::string bytes;
};

struct Talk {
  std::string name;
  bool is_postgres = false;
  std::vector<Turn> turns;
};

// Something that ended: behind how many bytes of its side.
struct Sight {
  Side side;
  std::size_t end = 0;
  proxy::Seen seen;

  bool operator==(const Sight&) const = default;
};

// How the bytes come: at once, one by one, or in random pieces.
enum class Pieces { whole, bytes, random };

// Every request is delivered when it is seen, every COPY let happen.
std::vector<Sight> sights(const Talk& talk, Pieces how, Random random = Random(1));
std::string told(const std::vector<Sight>& sights);

std::vector<Talk> known_talks();

// Messages of Postgres.
std::string pg(char type, std::string_view body = {});
std::string pg_startup();
std::string pg_welcome(int pid = 4711);

// A command of Redis.
std::string resp(const std::vector<std::string>& words);

}  // namespace assay::proxy_test
