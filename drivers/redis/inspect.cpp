// Get, list, dead and requeue: what people do.
#include "drivers/redis/detail/session.h"
#include "drivers/stored/cursor.h"

namespace assay::rds {

Result<JobView> RedisSession::get(Instant now, const Get& request) {
  return call<JobView>(request, [&]() -> Result<JobView> {
    const auto reply = run(Op::get, begin(Op::get, now, request.job_id), request.job_id);
    if (!reply.ok()) return reply.error();
    return read_view((*reply)[1]);
  });
}

// Gives `take` one job after the other until it says that it has enough. Each script looks at a
// bounded number of jobs; the next one goes on behind the last.
template <class Request, class Take>
Status RedisSession::read_pages(Instant now, const Request& request, std::string_view set,
                                std::string_view state, Take take) {
  std::string at, id;
  if (request.cursor) {
    const auto cursor = stored::parse_cursor(set, *request.cursor);
    at = std::to_string(cursor->at_ms);
    id = cursor->id;
  }
  for (bool more = true; more;) {
    Words words = begin(Op::list, now, request.queue);
    words.add(set == "list" ? "ages" : "dead").add(at).add(id);
    words.add(request.limit < INT64_MAX ? request.limit + 1 : request.limit).add(state);
    const auto reply = run(Op::list, words);
    if (!reply.ok()) return reply.error();
    const Value answer = reply->value();
    more = answer[1].number() == 1;
    at = answer[2].text();
    id = answer[3].text();
    for (std::size_t i = 4; i < answer.size(); ++i)
      if (!take(read_view(answer[i]))) return Done{};
  }
  return Done{};
}

Result<JobPage> RedisSession::list(Instant now, const List& request) {
  return call<JobPage>(request, [&]() -> Result<JobPage> {
    JobPage page;
    const auto take = [&](JobView view) {
      if (static_cast<std::int64_t>(page.jobs.size()) == request.limit) {
        const Job& last = page.jobs.back();
        page.cursor = stored::show_cursor("list", {to_ms(*last.created_at), last.id});
        return false;
      }
      page.jobs.push_back(std::move(view.job));
      return true;
    };
    const std::string_view state = request.state ? name_of(*request.state) : "";
    if (Status read = read_pages(now, request, "list", state, take); !read.ok())
      return read.error();
    return page;
  });
}

Result<DeadPage> RedisSession::dead(Instant now, const Dead& request) {
  return call<DeadPage>(request, [&]() -> Result<DeadPage> {
    DeadPage page;
    const auto take = [&](JobView view) {
      if (static_cast<std::int64_t>(page.entries.size()) == request.limit) {
        const DeadEntry& last = page.entries.back();
        page.cursor = stored::show_cursor("dead", {to_ms(last.at), last.job_id});
        return false;
      }
      const DeadView dead = view.dead.value_or(DeadView{});
      const JobId id = view.job.id;
      page.entries.push_back({id, std::move(view.job), dead.reason, dead.error, dead.at});
      return true;
    };
    if (Status read = read_pages(now, request, "dead", "", take); !read.ok()) return read.error();
    return page;
  });
}

Result<Requeued> RedisSession::requeue(Instant now, const Requeue& request) {
  return call<Requeued>(request, [&]() -> Result<Requeued> {
    const std::string secret = random_.hex(8);
    Words words = begin(Op::requeue, now, request.job_id);
    words.add(request.run_at ? std::optional(to_ms(*request.run_at)) : std::nullopt);
    words.add(request.reset_attempts ? "1" : "0").add(secret);
    const auto reply = run(Op::requeue, words, request.job_id);
    if (!reply.ok()) return reply.error();
    return Requeued{std::string((*reply)[1].text())};
  });
}

}  // namespace assay::rds
