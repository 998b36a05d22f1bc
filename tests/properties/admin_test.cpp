#include "tests/properties/cases.h"

namespace assay::told {

static void two_pages(Told& h) { h.enqueue("a").ok().advance(1s).enqueue("b").ok(); }

static List one_of(std::optional<std::string> cursor = {}) {
  return {.queue = "q", .state = {}, .limit = 1, .cursor = std::move(cursor)};
}

static void more(JobPage& page) { page.cursor = "next"; }

static const RuleCases cases[] = {
    {"ADMIN-1", "reference", nullptr, [](Told& h) { h.enqueue("a").ok().get("a").shows(); },
     [](Told& h) { h.enqueue("a").ok().get("a").refused(not_found); },
     [](Told& h) { h.enqueue("a").unknown().get("a").refused(not_found); }},
    {"ADMIN-2", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) {
       h.enqueue("b").ok().list().lists({"a", "b"});
     },
     [](Told& h) { h.enqueue("b").ok().list().lists({"a"}); },
     [](Told& h) { h.enqueue("b").unknown().list().lists({"a"}); }},
    {"XADMIN-1", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.list().lists({"a"}).claim("a"); },
     [](Told& h) { h.claim("a").list().lists({"a"}, [](JobPage& p) { p.jobs[0].state = ready; }); },
     [](Told& h) { h.seek("a").unknown().list().lists({"a"}); }},
    {"XADMIN-2", "reference", two_pages,
     [](Told& h) {
       h.list(one_of()).lists({"a"}, more).list(one_of("next")).lists({"b"});
       h.list(one_of("made up")).refused(invalid);
     },
     [](Told& h) { h.list(one_of()).lists({"b"}, more).list(one_of("next")).lists({"a"}); },
     [](Told& h) { h.list(one_of("made up")).unknown(); }},
    {"XADMIN-3", "reference", [](Told& h) { h.buried("a"); },
     [](Told& h) { h.requeue("a", true).ok().get("a").shows(); },
     [](Told& h) {
       h.requeue("a", true).ok().get("a").shows([](JobView& v) { v.job.attempts = 1; });
     },
     [](Told& h) { h.requeue("a", true).unknown().get("a").shows(); }},
    {"XMAN-1", "reference", [](Told& h) { h.buried("a"); },
     [](Told& h) { h.requeue("a").ok().get("a").shows(); },
     [](Told& h) { h.requeue("a").ok().get("a").shows([](JobView& v) { v.job.attempts = 0; }); },
     [](Told& h) { h.requeue("a").unknown().requeue("a").refused(conflict); }},
};

Cases admin_cases() { return cases; }

}  // namespace assay::told
