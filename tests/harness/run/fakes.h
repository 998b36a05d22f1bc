// Fakes for certify: a driver of a few lines whose faults are switched on by hand, properties that
// catch one of them, and scenarios that show it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/judge/property.h"
#include "harness/run/certify.h"

namespace assay::fakes {

// What is wrong with a driver; nothing: it takes every job, and never hands one out.
struct Faults {
  bool cannot_be_made = false;
  bool factory_throws = false;
  bool profile_throws = false;
  bool no_setup = false;
  bool setup_throws = false;
  bool null_session = false;
  bool enqueue_throws = false;
  bool unreachable = false;  // nobody knows how an enqueue ends
  bool garbage = false;      // answers that make no sense at all
  bool restless = false;     // ids differ from run to run
  int lies_from = 0;         // the enqueue of a run, counted from 1, that begins to answer "lie"
  int breaks_after = 0;      // so many setups succeed, the next does not, the driver after it does
};

// What the drivers of one factory were asked; shared by them and the test.
struct Traffic {
  std::atomic<int> made = 0;
  std::atomic<int> setups = 0;
  std::atomic<int> ids = 0;
};

DriverInfo driver(const Faults& faults, std::shared_ptr<Traffic> traffic = {});

// ENQ-1 is triggered by each accepted enqueue, and violated where its id is a lie; CLAIM-6 is
// triggered by each answered reserve; ACK-1 by an accepted ack, which a fake driver never gives;
// CLAIM-1 is only promised to be judged.
std::span<const Property> properties();

// "one_job" enqueues one job; "three_jobs" three.
std::span<const Scenario> scenarios();
// One that says that it triggers ACK-1, and does not.
std::span<const Scenario> idle_scenarios();

// Everything above, with a canary that lies.
Parts parts();

// Of ENQ-1 and CLAIM-6, seed 7, 5 generated cases.
CertifyOptions options();

const RuleReport* find(const Report& report, std::string_view id);
Verdict verdict_of(const Report& report, std::string_view id);

// All that must not depend on the number of threads or the hour.
std::string text_of(const Report& report);

}  // namespace assay::fakes
