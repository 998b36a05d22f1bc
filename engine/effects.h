// Effects: what a handler leaves behind beside its job's end, kept in the store: outputs, each
// under a name of its job. An output is written once however often its job runs, and never by a
// holder whose lease is over.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/contract/clock.h"
#include "harness/contract/session.h"

namespace assay::engine {

struct Output {
  std::string name = {};
  std::string value = {};
  std::int64_t version = 0;  // of this output, from 1
  std::int64_t run = 0;      // of the job that wrote it

  bool operator==(const Output&) const = default;
};

inline constexpr std::size_t most_output_name_bytes = 200;
inline constexpr std::size_t most_output_bytes = 1'000'000;
inline constexpr std::size_t most_outputs = 256;  // of one job

// Of the run that it was given to. Thread-safe. Everything is refused, with a sentence, where the
// driver keeps no records; a run that stages something then fails, whatever its handler says.
class Effects {
 public:
  virtual ~Effects() = default;

  // Staged: written in one commit with the run's success, or not at all. What was staged under the
  // name before, in this run or an earlier one, is replaced.
  virtual Status put(const std::string& name, const std::string& value) = 0;

  // Staged, too, under the name "NAME/UNIQUE". Nothing is done where that was committed before.
  virtual Status append(const std::string& name, const std::string& unique,
                        const std::string& value) = 0;

  // Written at once, while the lease is held; refused as lease_lost where it is not. Where it was
  // committed before, by any run of the job, nothing is done, and that one is given back.
  struct Kept {
    Output output = {};
    bool repeated = false;
  };
  virtual Result<Kept> commit(const std::string& name, const std::string& value) = 0;

  // What is committed so far.
  virtual Result<std::optional<Output>> find(const std::string& name) = 0;
};

// All outputs of a job at one moment: they were committed together, or one after the other in this
// order of versions, and none of them is from later than the others.
struct Outputs {
  std::int64_t version = 0;          // rises with each commit; 0: there are none
  std::vector<Output> outputs = {};  // by their names

  bool operator==(const Outputs&) const = default;
};

// For anybody. `session` is one of a driver that keeps records.
Result<Outputs> outputs_of(Session& session, Clock& clock, const JobId& job);
// Of that version, where one is given: a conflict where it has changed since.
Result<std::optional<Output>> output_of(Session& session, Clock& clock, const JobId& job,
                                        const std::string& name,
                                        std::optional<std::int64_t> version = {});
// Removes all of them. Requires: the job has ended for good.
Status forget_outputs(Session& session, Clock& clock, const JobId& job);

}  // namespace assay::engine
