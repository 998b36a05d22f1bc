// TroubledDriver: another driver, with somebody who sees each call and may spoil it.
#pragma once

#include <functional>

#include "harness/contract/driver.h"
#include "harness/contract/records.h"

namespace assay::engine {

struct Trouble {
  // Before the call is made: an error stands in its place.
  std::function<std::optional<Error>(const Request&)> before = {};
  // After it took effect: an error stands in the place of its answer.
  std::function<std::optional<Error>(const Request&)> after = {};
  std::function<std::optional<Error>()> opening = {};
  // The same of commits, reads and scans.
  std::function<std::optional<Error>(const Commit&)> before_commit = {};
  std::function<std::optional<Error>(const Commit&, const Result<Committed>&)> after_commit = {};
  std::function<std::optional<Error>()> reading = {};
  bool no_records = false;

  static Error no_answer() { return {ErrorCode::unavailable, "no answer"}; }
};

class TroubledDriver final : public Driver {
 public:
  // Both are borrowed for life.
  TroubledDriver(Driver& inner, const Trouble& trouble) : inner_(inner), trouble_(trouble) {}

  const Profile& profile() const override { return inner_.profile(); }
  Status setup(const Setup& setup) override { return inner_.setup(setup); }
  Status teardown() override { return inner_.teardown(); }
  Result<Instant> now() override { return inner_.now(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    if (trouble_.opening)
      if (auto error = trouble_.opening()) return *error;
    auto opened = inner_.open(spec);
    if (!opened.ok()) return opened;
    return std::unique_ptr<Session>(new Troubled(std::move(*opened), trouble_));
  }

 private:
  class Troubled final : public Session, public Records {
   public:
    Troubled(std::unique_ptr<Session> inner, const Trouble& trouble)
        : inner_(std::move(inner)), trouble_(trouble) {}

    Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
      return made(r, [&] { return inner_->enqueue(now, r); });
    }
    Result<Claims> reserve(Instant now, const Reserve& r) override {
      return made(r, [&] { return inner_->reserve(now, r); });
    }
    Result<Extended> extend(Instant now, const Extend& r) override {
      return made(r, [&] { return inner_->extend(now, r); });
    }
    Status ack(Instant now, const Ack& r) override {
      return made(r, [&] { return inner_->ack(now, r); });
    }
    Status retry(Instant now, const Retry& r) override {
      return made(r, [&] { return inner_->retry(now, r); });
    }
    Status fail(Instant now, const Fail& r) override {
      return made(r, [&] { return inner_->fail(now, r); });
    }
    Result<Nacked> nack(Instant now, const Nack& r) override {
      return made(r, [&] { return inner_->nack(now, r); });
    }
    Result<JobView> get(Instant now, const Get& r) override {
      return made(r, [&] { return inner_->get(now, r); });
    }
    Result<JobPage> list(Instant now, const List& r) override {
      return made(r, [&] { return inner_->list(now, r); });
    }
    Result<Cancelled> cancel(Instant now, const Cancel& r) override {
      return made(r, [&] { return inner_->cancel(now, r); });
    }
    Result<DeadPage> dead(Instant now, const Dead& r) override {
      return made(r, [&] { return inner_->dead(now, r); });
    }
    Result<Requeued> requeue(Instant now, const Requeue& r) override {
      return made(r, [&] { return inner_->requeue(now, r); });
    }
    Records* records() override {
      inner_records_ = trouble_.no_records ? nullptr : inner_->records();
      return inner_records_ ? this : nullptr;
    }
    Result<Committed> commit(Instant now, const Commit& commit) override {
      if (trouble_.before_commit)
        if (auto error = trouble_.before_commit(commit)) return *error;
      auto answer = inner_records_->commit(now, commit);
      if (trouble_.after_commit)
        if (auto error = trouble_.after_commit(commit, answer)) return *error;
      return answer;
    }
    Result<std::optional<Record>> read(Instant now, const std::string& key) override {
      if (trouble_.reading)
        if (auto error = trouble_.reading()) return *error;
      return inner_records_->read(now, key);
    }
    Result<RecordPage> scan(Instant now, const Scan& scan) override {
      if (trouble_.reading)
        if (auto error = trouble_.reading()) return *error;
      return inner_records_->scan(now, scan);
    }
    Status close() override { return inner_->close(); }

   private:
    template <class Call>
    auto made(const Request& request, Call call) -> decltype(call()) {
      if (trouble_.before)
        if (auto error = trouble_.before(request)) return *error;
      auto answer = call();
      if (trouble_.after)
        if (auto error = trouble_.after(request)) return *error;
      return answer;
    }

    std::unique_ptr<Session> inner_;
    Records* inner_records_ = nullptr;
    const Trouble& trouble_;
  };

  Driver& inner_;
  const Trouble& trouble_;
};

}  // namespace assay::engine
