// The families of rules, one a file.
#pragma once

#include "harness/judge/property.h"

namespace assay::properties {

Property enqueue();
Property schedule();
Property claim();
Property lease();
Property fence();
Property heartbeat();
Property ack();
Property retry();
Property backoff();
Property dead_letter();
Property state();
Property idempotency();
Property order();
Property error();
Property admin();
Property cancel();
Property pause();
Property delivery();
Property argument();
Property clock();
Property closing();
Property durability();
Property execution();
Property time_limit();
Property worker();
Property batch();
Property fairness();
Property limit();
Property availability();
Property output();
Property flow();
Property outbox();
Property reaper();
Property wakeup();
Property recurring();
Property caller();

}  // namespace assay::properties
