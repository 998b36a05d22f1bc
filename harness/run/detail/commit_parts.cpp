#include "harness/run/detail/commit_parts.h"

#include <algorithm>

namespace assay::detail {
namespace {

// That a Hold must be live changes nothing, so no call says it.
std::optional<Request> settle_of(const Commit& commit) {
  return std::visit(
      [](const auto& settle) -> std::optional<Request> {
        if constexpr (requires { Request(settle); })
          return Request(settle);
        else
          return std::nullopt;
      },
      commit.settle);
}

// Nobody asked for it: it certainly was not done, and the store did not refuse it either.
Error not_asked_for(std::string why) {
  return {ErrorCode::unavailable, std::move(why), LeaseReason::unstated, true};
}

bool is_about_settle(const Error& error) {
  return error.code == ErrorCode::lease_lost || error.code == ErrorCode::not_found;
}
bool is_about_enqueue(const Error& error) {
  return error.code == ErrorCode::duplicate_key || error.code == ErrorCode::duplicate_id;
}

// A refusal is that of the part it speaks of; all the others were simply not done. Where it may
// speak of several parts nobody can say of which.
std::vector<Result<Response>> refused(const std::vector<Request>& parts, bool has_settle,
                                      const Error& error) {
  const std::size_t enqueues = parts.size() - (has_settle ? 1 : 0);
  const Error others = not_asked_for("the commit was refused: " + error.message);
  std::vector<Result<Response>> answers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_settle = has_settle && i == 0;
    const bool is_meant =
        !is_definite(error) ||
        (is_settle ? is_about_settle(error) : enqueues == 1 && is_about_enqueue(error));
    answers.emplace_back(is_meant ? error : others);
  }
  return answers;
}

}  // namespace

std::vector<Request> parts_of(const Commit& commit) {
  std::vector<Request> parts;
  if (auto settle = settle_of(commit)) parts.push_back(std::move(*settle));
  for (const Count& count : commit.counts)
    parts.insert(parts.end(), count.then.begin(), count.then.end());
  parts.insert(parts.end(), commit.enqueues.begin(), commit.enqueues.end());
  return parts;
}

std::vector<Result<Response>> answers_to_parts(const Commit& commit,
                                               const Result<Committed>& answer) {
  const bool has_settle = settle_of(commit).has_value();
  if (!answer.ok()) return refused(parts_of(commit), has_settle, answer.error());
  std::vector<Result<Response>> answers;
  if (has_settle)
    answers.emplace_back(answer->nacked ? Response(*answer->nacked) : Response(Done{}));
  const auto add = [&](std::size_t asked, const std::vector<Enqueued>& made, const char* why) {
    for (std::size_t i = 0; i < asked; ++i)
      if (i < made.size())
        answers.emplace_back(Response(made[i]));
      else
        answers.emplace_back(not_asked_for(why));
  };
  const char* const again = "the commit was made before";
  for (std::size_t i = 0; i < commit.counts.size(); ++i)
    add(commit.counts[i].then.size(),
        i < answer->counts.size() ? answer->counts[i].then : std::vector<Enqueued>{},
        answer->applied ? "something is left to be counted" : again);
  add(commit.enqueues.size(), answer->enqueued, again);
  return answers;
}

}  // namespace assay::detail
