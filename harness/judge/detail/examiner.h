// Examiner: shows operations with their answers to the properties, and takes them into the facts.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/detail/hooks.h"
#include "harness/judge/detail/window.h"

namespace assay::judging {

class Examiner {
 public:
  // Everything is borrowed for life.
  Examiner(const Profile& profile, const Hooks& hooks, Facts& facts, Verdicts& verdicts,
           const Window& window)
      : profile_(profile), hooks_(hooks), facts_(facts), verdicts_(verdicts), window_(window) {}

  // Judges it and takes it in, but for those of its jobs that were judged with others already.
  // `alone`: it overlapped no other call. Gives back the jobs that nothing more is concluded from.
  std::vector<std::size_t> whole(const Operation& operation, bool alone);

  // The hooks that look at one job, beside the facts as they are. Of a claim that did not hand it
  // out: whether it should have.
  void part(const Operation& operation, std::string_view id);

  // A claim that says that there is nothing to be had.
  bool finds_nothing(const Operation& operation) const;

 private:
  void holds(const Moment& moment);
  void deliver(const Moment& moment, const Claim& claim);
  void sight(const Moment& moment, const Job& shown, const JobView* whole);
  void own(const Moment& moment);
  void miss(Moment moment, std::string_view id);
  void deliver(const Operation& operation, const Moment& whole, const Claim& claim);
  void sight(const Operation& operation, const Moment& whole, const Job& shown);
  Moment read(const Operation& operation, bool alone, Instant at) const;
  template <class Look>
  Moment at_best(const Operation& operation, bool alone, std::string_view id, const Look& look);
  void look_around(const Operation& operation, Moment& moment) const;
  void look_at_key(const Operation& operation, const NewJob& keyed, const std::string& key,
                   Moment& moment) const;
  void take_in(const Operation& operation, bool alone);
  bool is_only_switch(const Operation& operation);
  bool last_claimed_after(Place began, const std::vector<std::string>& queues) const;

  const Profile& profile_;
  const Hooks& hooks_;
  Facts& facts_;
  Verdicts& verdicts_;
  const Window& window_;
  Place last_switch_ = 0;
};

}  // namespace assay::judging
