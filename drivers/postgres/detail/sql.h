// Pieces of SQL that the statements of the postgres driver share.
//
// They speak of the columns of `jobs` and of names that end in `_`, which are parameters of the
// call: variables of a function, or columns of a plain statement's `given`.
#pragma once

#include <string>
#include <vector>

namespace assay::pg {

// Stands for any bytes in an index, which cannot hold long ones: what is longer than 64 bytes is
// told by a digest of 65.
std::string brief(const std::string& bytes);

// The bytes themselves, where `brief` does not hold them.
std::string beyond_brief(const std::string& bytes);

// A function of the schema. Every one begins by asking for the present: the caller's, or the
// store's, which is `clock_` (the server's own clock where there is none) plus the namespace's
// offset. A session of a namespace that was made anew meanwhile is turned away.
struct Function {
  std::string name;
  std::string parameters;
  std::string variables = {};
  std::string body;
  std::string asked = {};  // more columns of `meta`,
  std::string into = {};   // and the variables that get them
};
std::string text_of(const Function& function);

// The same present for a plain statement, as a row of `now_ms`; by the store's clock there is no
// row where the namespace is gone. Its first three parameters are those of a function.
enum class Now { by_store, by_caller };
std::string present(Now now = Now::by_store);

// What a namespace is told by from one of its name that was made later: the number of its sequence.
// The server gives none twice, and knows it when it plans a statement, which it does again when the
// sequence is gone.
std::string era();

// The advisory lock that a pause and a claim that looks closer take, so that they do not overlap.
std::string pauses();

// Whether the namespace of a plain statement is still there.
std::string is_there();

// The further parameters of a plain statement by their names: "id_ bytea" is $4, and so on.
std::string given(const std::vector<std::string>& names_and_types);

// Stops at the largest number.
std::string plus(const std::string& at, const std::string& length);

std::string no_lease();
std::string no_settle();

// Waiting from `run_at` on.
std::string waiting(const std::string& run_at);

std::string leased_until(const std::string& until);

// Ended. Where keys are for active jobs only, it gives its key back.
std::string ended(const std::string& state);
std::string buried(const std::string& reason, const std::string& error);

// A lease is dead when it expires at this instant or before.
std::string dead_by();

// Of a number of failures.
std::string runs_allowed(const std::string& limit);

// Full jitter: anything up to a window that doubles with each failure. Drawn from the call's own
// number, so that the same seed gives the same answer.
std::string backoff(const std::string& failure, const std::string& job);

// What a key is unique by.
std::string slot(const std::string& queue, const std::string& type, const std::string& key);

// The columns of a new job, and their values: those that its maker knows, in the order of
// new_columns, then the rest.
std::string new_columns();
std::string made_id();

// The parameters of functions that begin with a hold, of the one that enqueues many, and those many
// as rows `one`.
std::string hold_parameters();
std::string many_parameters();
std::string knob_parameters();

// The statements, by concept.
std::string enqueue_function();
std::string enqueue_quickly(Now now);
std::string enqueue_all_function();
std::string enqueue_all_quickly();
std::string enqueue_alike_quickly();
std::string reserve_function();
std::string reserve_quickly(Now now);
std::string reserve_many_quickly();
std::string extend_function();
std::string ack_function();
std::string ack_quickly(Now now);
std::string ack_all_function();
std::string ack_all_quickly();
std::string settle_function();
std::string nack_function();
std::string cancel_function();
std::string requeue_function();
std::string replay_function();
std::string commit_function();
std::string find_record();
std::string channel_of(const std::string& queue);
std::string begin_listening();
std::string end_listening();
std::string scan_records();

}  // namespace assay::pg
