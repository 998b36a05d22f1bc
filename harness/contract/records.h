// Records: small values that are kept beside the jobs of a namespace, and the commits that change
// them together with settles and enqueues, all at once.
//
// They belong to the session that they were got from, and are used as it is: by one thread at a
// time, no exception leaves them, and after its close every call is refused as closed. They live
// and die with the namespace and survive what its jobs survive.
//
// A record has a version, which is 1 at first and rises by one with each write. One that was
// dropped and is made again begins at 1 again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/contract/operation.h"

namespace assay {

struct Record {
  std::string key = {};
  std::string value = {};  // of a countdown: what is left, in decimal digits
  std::int64_t version = 0;
  bool operator==(const Record&) const = default;
};

// Writes a record. `if_version`: absent, whatever there is; 0, it must not exist; else it must be
// at that version. A countdown cannot be written.
struct Put {
  std::string key = {};
  std::string value = {};
  std::optional<std::int64_t> if_version = {};
  bool operator==(const Put&) const = default;
};

// Removes a record, or a countdown with its marks; costs as much as it has marks. That there is
// none is no error, unless a version is asked for.
struct Drop {
  std::string key = {};
  std::optional<std::int64_t> if_version = {};
  bool operator==(const Drop&) const = default;
};

// Counts down by one, but once a mark: a mark that was counted before changes nothing, nor does any
// once nothing is left. The first one makes the countdown, of `from`; what later ones say of that
// is not looked at. The one that leaves nothing has `then` enqueued in its own commit. However many
// have counted, one more costs the same. A record that is no countdown cannot be counted down.
struct Count {
  std::string key = {};
  std::int64_t from = 1;  // 1 to most_from
  std::string once = {};  // the mark
  std::vector<Enqueue> then = {};
  bool operator==(const Count&) const = default;
};

// What is done about a lease: nothing; a Hold must be live as an extension asks for it, and stays;
// or the settle is made.
using CommitSettle = std::variant<std::monostate, Hold, Ack, Retry, Fail, Nack>;

// Done as if by one call after the other in the order of the members, `then`s before `enqueues`,
// with nobody in between: all of it, or nothing.
struct Commit {
  CommitSettle settle = {};
  std::vector<Put> puts = {};
  std::vector<Drop> drops = {};
  std::vector<Count> counts = {};
  std::vector<Enqueue> enqueues = {};
  bool operator==(const Commit&) const = default;
};

struct Counted {
  std::int64_t left = 0;
  bool counted = false;             // false: the mark was counted before, or nothing was left
  std::vector<Enqueued> then = {};  // where this one left nothing
  bool operator==(const Counted&) const = default;
};

struct Committed {
  bool applied = true;                      // false: see Records::commit
  std::optional<Nacked> nacked = {};        // where the settle is a nack
  std::vector<std::int64_t> versions = {};  // of the puts, in their order
  std::vector<Counted> counts = {};         // in their order, too
  std::vector<Enqueued> enqueued = {};      // and these
  bool operator==(const Committed&) const = default;
};

// Keys come in the order of their bytes.
struct Scan {
  std::string prefix = {};                // empty: all
  std::optional<std::string> after = {};  // begin behind this key
  std::int64_t limit = 100;               // 1 to most_in_page
  bool operator==(const Scan&) const = default;
};

// May hold fewer than the limit and yet not be the last: values can be large.
struct RecordPage {
  std::vector<Record> records = {};
  bool more = false;  // ask again, behind the last one
  bool operator==(const RecordPage&) const = default;
};

// Of a key and of a mark, each of at least one.
inline constexpr std::size_t most_key_bytes = 512;
inline constexpr std::size_t most_value_bytes = std::size_t{1} << 20U;
// Of all the values in a commit, and about so many of those in a page.
inline constexpr std::size_t most_values_bytes = std::size_t{16} << 20U;
// Puts, drops, counts, what they enqueue then, and enqueues, all together.
inline constexpr std::size_t most_parts = 1000;
inline constexpr std::int64_t most_in_page = 1000;
inline constexpr std::int64_t most_from = 1'000'000'000;

class Records {
 public:
  virtual ~Records() = default;

  // Where it is refused, nothing was changed: as lease_lost or not_found where the settle alone
  // would be (a Hold: an extension), as a conflict where a record is not at its version or not of
  // the kind, as an enqueue would be where one is, and as invalid where an argument is bad or a key
  // is named twice.
  //
  // A settle that was made before, and that may be repeated harmlessly, succeeds, and nothing else
  // of the commit is done: `applied` is false and, but for the answer of a nack, nothing is told.
  // So whoever lost the answer to a commit with a settle may make it again. A commit with a Hold,
  // or with nothing, is done each time: if_version or a mark keeps it from being done twice.
  virtual Result<Committed> commit(Instant now, const Commit& commit) = 0;

  virtual Result<std::optional<Record>> read(Instant now, const std::string& key) = 0;
  virtual Result<RecordPage> scan(Instant now, const Scan& scan) = 0;
};

// What is wrong with the arguments, but for those of the settle and of the enqueues, if anything.
std::optional<Error> objection_to(const Commit& commit);
std::optional<Error> objection_to(const Scan& scan);
std::optional<Error> objection_to_key(const std::string& key);

}  // namespace assay
