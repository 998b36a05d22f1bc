#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"ERR-1", "reference", nullptr,
     [](Told& h) { h.get("ghost").refused(not_found).ack("ghost", "t").refused(not_found); },
     [](Told& h) { h.ack("ghost", "t").lost(not_held); },
     [](Told& h) { h.enqueue("ghost").unknown().ack("ghost", "t").lost(not_held); }},
    {"ERR-2", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a", "forged").lost(mismatch).extend("a", "forged").lost(mismatch); },
     [](Told& h) { h.ack("a", "forged").refused(conflict); },
     [](Told& h) { h.ack("a", "forged").unknown(); }},
    {"ERR-5", "reference", nullptr, [](Told& h) { h.reserve().nothing(); },
     [](Told& h) { h.reserve().refused(not_found); }, [](Told& h) { h.reserve().unknown(); }},
    {"XERR-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).ack("a", "forged").lost(expired); },
     [](Told& h) { h.advance(30s).ack("a", "forged").lost(mismatch); },
     [](Told& h) {
       h.extend("a", {}, 1h).unknown().advance(30s).ack("a", "forged").lost(mismatch);
     }},
};

Cases error_cases() { return cases; }

}  // namespace assay::told
