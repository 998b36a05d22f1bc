// FaultRecord: what became of one fault that a plan had.
#pragma once

#include <optional>
#include <string>

namespace assay {

struct FaultRecord {
  std::string fault;
  std::optional<int> client;  // absent: everybody
  bool begun = false;
  std::string proof;          // empty: nothing shows that it took effect
  std::string why_not;        // it could not be begun, proven or ended
  std::size_t in_flight = 0;  // calls under way when it struck
  bool met_nobody = false;    // whom it befell did nothing that it could have struck

  bool is_proven() const { return begun && !proof.empty() && why_not.empty(); }
  // Nothing can be concluded from a run with such a fault. One that nobody met is as good as none.
  bool is_void() const { return !is_proven() && !(begun && met_nobody); }
};

}  // namespace assay
