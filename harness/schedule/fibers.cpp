// Clients on fibers of one thread: a switch costs some nanoseconds.
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <optional>

#include "harness/contract/check.h"
#include "harness/schedule/carrier.h"

namespace assay {
namespace {

namespace context = boost::context;

constexpr std::size_t stack_size = 512 * 1024;

class FiberCarrier final : public Carrier, private Gates {
 public:
  Gates& gates() override { return *this; }

  Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy,
               const std::vector<int>& = {}) override {
    CHECK(!scheduler_);
    if (bodies.empty()) return {};
    bodies_ = std::move(bodies);
    while (fibers_.size() < bodies_.size()) fibers_.push_back(new_fiber(fibers_.size()));
    scheduler_.emplace(strategy, static_cast<int>(bodies_.size()));
    explored_ = {};
    giving_up_ = false;
    while (const auto next = let_go()) {
      context::fiber& fiber = fibers_[static_cast<std::size_t>(*next)];
      fiber = std::move(fiber).resume();
    }
    explored_.moves = scheduler_->moves();
    scheduler_.reset();
    return std::move(explored_);
  }

 private:
  // --- Gates ---

  bool on() const override { return scheduler_ && scheduler_->anybody_moves(); }

  void pass(const char* where) override {
    if (!on()) return;
    const int me = scheduler_->moving();
    scheduler_->at_gate(me, where);
    stand(me);
  }

  bool wait(const char* for_what, const void* what) override {
    CHECK(on());
    if (giving_up_) return false;
    const int me = scheduler_->moving();
    scheduler_->waits(me, for_what, what);
    stand(me);
    return !giving_up_;
  }

  void opened(const void* what) override {
    if (on()) scheduler_->opened(what);
  }

  // --- turns ---

  // Most often whoever moved goes on: then there is nobody to switch to.
  void stand(int me) {
    chosen_ = let_go();
    if (chosen_ == me) {
      chosen_.reset();
      return;
    }
    main_ = std::move(main_).resume();
  }

  std::optional<int> let_go() {
    if (chosen_) return std::exchange(chosen_, std::nullopt);
    auto next = scheduler_->let_one_go();
    if (!next && !scheduler_->all_ended()) {
      explored_.deadlock = scheduler_->who_waits();
      giving_up_ = true;
      scheduler_->wake_all();
      next = scheduler_->let_one_go();
    }
    return next;
  }

  context::fiber new_fiber(std::size_t number) {
    return {std::allocator_arg, context::protected_fixedsize_stack(stack_size),
            [this, number](context::fiber&& main) {
              main_ = std::move(main);
              for (;;) {
                bodies_[number]();
                bodies_[number] = nullptr;
                scheduler_->ended(static_cast<int>(number));
                main_ = std::move(main_).resume();
              }
              return std::move(main_);
            }};
  }

  std::vector<std::function<void()>> bodies_;
  std::vector<context::fiber> fibers_;  // at rest, each waits for a body
  context::fiber main_;                 // while a fiber is on: where it came from
  std::optional<int> chosen_;           // to go on next, by one that stands now
  std::optional<Scheduler> scheduler_;
  Explored explored_;
  bool giving_up_ = false;
};

}  // namespace

// The sanitizers do not follow from one stack to another: there, threads make the same moves.
std::unique_ptr<Carrier> fiber_carrier() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return thread_carrier();
#else
  return std::make_unique<FiberCarrier>();
#endif
}

}  // namespace assay
