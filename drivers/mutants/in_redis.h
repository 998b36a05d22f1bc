// within_redis: a mutant of the redis driver with altered scripts, and what calls of several round
// trips are made of.
#pragma once

#include <string>
#include <utility>

#include "drivers/mutants/alter.h"
#include "drivers/mutants/mutant.h"
#include "drivers/redis/redis.h"

namespace assay::mutants {

// `change` takes the name of a call and the right text of its script, and spoils it.
template <class Change>
Mutant within_redis(Mutant mutant, Change change) {
  mutant.subject = "redis";
  mutant.driver = [name = std::string(mutant.name), summary = std::string(mutant.summary),
                   profile = std::string(mutant.profile), change] {
    DriverInfo info = redis_with(name, summary, change);
    info.default_profile = profile;
    return info;
  };
  return mutant;
}

// The short ways that most calls take are closed.
inline void take_the_long_way(std::string& text) {
  for (const std::string way : {"local LEAN_CLAIM = ", "local LEAN_ACK = "})
    if (text.find(way + "true") != std::string::npos) alter(text, way + "true", way + "false");
}

inline std::string apart(const std::string& look, const std::string& write) {
  return look + std::string(redis_round) + write;
}

// The two halves of a settle or an extension: what checks the token, and what trusts that it was
// checked.
struct Halves {
  std::string look, write;
};
inline Halves halves_of_settle(std::string_view call, std::string text) {
  take_the_long_way(text);
  const std::string guard =
      "local job, answer = admit('" + std::string(call) + "')\nif not job then return answer end\n";
  Halves halves{before(text, guard) + guard + "return {2, ''}\n", text};
  alter(halves.write, guard, "local job = core(subject)\n");
  return halves;
}
inline bool is_settle(std::string_view call) {
  return call == "ack" || call == "retry" || call == "fail" || call == "nack";
}

// Where the text of a claim has prepared everything, and begins to do it.
inline const char* const claim_at_last = "if wanted ~= '' then\n";

// The jobs are chosen in one round trip, with their counters, and taken in another as `taking` says
// for each `id` and its `attempts`.
inline std::string choose_then_take(std::string text, const std::string& taking) {
  take_the_long_way(text);
  const std::string begun = before(text, claim_at_last);
  std::string at_last = onward(text, claim_at_last);
  for (int i = 0; i < 2; ++i) alter(at_last, "return answer\n", "return seen()\n");
  return apart(begun + R"lua(
local chosen = {}
claim = function(id, job)
  chosen[#chosen + 1], chosen[#chosen + 2] = id, job[ATTEMPTS]
end
local function seen()
  if #chosen == 0 then return answer end
  return {2, cmsgpack.pack(chosen)}
end
)lua" + at_last,
               begun + R"lua(
local chosen = cmsgpack.unpack(SEEN)
for i = 1, #chosen, 2 do
  local id, attempts = chosen[i], chosen[i + 1]
)lua" + taking + "end\nreturn answer\n");
}

// A round trip that is made before a claim: `noting` is done for each queue with its flags, and
// what is in `noted` then is seen.
inline std::string note_first(const std::string& text, const std::string& noting) {
  return before(text, claim_at_last) + "local noted = {}\nlocal function note(queue, flags)\n" +
         noting + R"lua(
end
note(subject, head[3])
for i = 11, #ARGV do note(ARGV[i], flags_of(ARGV[i])) end
return {2, cmsgpack.pack(noted)}
)lua";
}

}  // namespace assay::mutants
