#include "tests/properties/cases.h"

namespace assay::told {

static NewJob full() {
  return {.id = "a",
          .queue = "q",
          .type = "t",
          .payload = std::string("\0\xff bytes", 8),
          .run_at = run_epoch,
          .max_attempts = 5,
          .timeout = 90s,
          .key = "k",
          .priority = 2,
          .attempts = 1};
}

static NewJob other_content() { return {.id = "a", .queue = "q", .type = "t", .payload = "else"}; }

static void without_birthday(JobView& v) { v.job.created_at.reset(); }

static const RuleCases cases[] = {
    {"ENQ-1", "reference", nullptr, [](Told& h) { h.enqueue("a").ok().get("a").shows(); },
     [](Told& h) { h.enqueue("a").ok().get("a").refused(not_found); },
     [](Told& h) { h.enqueue("a").unknown().get("a").refused(not_found); }},
    {"ENQ-2", "reference", nullptr, [](Told& h) { h.enqueue("a", 10s).ok().get("a").shows(); },
     [](Told& h) {
       h.enqueue("a", 10s).ok().get("a").shows([](JobView& v) { v.job.state = ready; });
     },
     [](Told& h) { h.enqueue("a", 10s).ok().hide().get("a").refused(not_found); }},
    {"ENQ-3", "reference", nullptr,
     [](Told& h) {
       h.enqueue("a").ok().enqueue(other_content()).refused(duplicate_id).enqueue("a").existed("a");
     },
     [](Told& h) { h.enqueue("a").ok().enqueue(other_content()).ok(); },
     [](Told& h) { h.enqueue("a").unknown().enqueue(other_content()).ok(); }},
    {"ENQ-4", "reference", nullptr, [](Told& h) { h.enqueue("a").ok().claim("a"); },
     [](Told& h) { h.enqueue("a").ok().reserve().nothing(); },
     [](Told& h) { h.enqueue("a").unknown().reserve().nothing(); }},
    {"ENQ-6", "reference", [](Told& h) { h.enqueue(full()).ok(); },
     [](Told& h) { h.get("a").shows().get("a").shows(without_birthday).claim("a"); },
     [](Told& h) { h.get("a").shows([](JobView& v) { v.job.payload.pop_back(); }); },
     [](Told& h) { h.get("a").unknown().claim("a").hide(); }},
};

Cases enqueue_cases() { return cases; }

}  // namespace assay::told
