#include "harness/plan/detail/deflate.h"

#include <zlib.h>

#include <cstdint>

#include "harness/contract/check.h"

namespace assay::detail {

static constexpr std::size_t text_max = 16 << 20;

// So long a text makes a token that goes to a file, which holds the text: time for each of its
// bytes would be lost.
static constexpr std::size_t long_text = 32 << 10;

// The most usual last: nearer is cheaper.
static constexpr std::string_view dictionary =
    R"("clock":"store","clock":"caller","durability":"crash","durability":"none","capabilities":[)"
    R"("schedule_at_enqueue","priority","cancel","pause","inspect","list_paged","dlq_ops",)"
    R"("queue_set_claim","lease_version","worker_id","timeouts","virtual_time"])"
    R"("fence":"token_attempt","counter":"attempt_no","late_settle":"accept_unreclaimed",)"
    R"("resettle":"stale_error","decider":"store","claim_style":"by_id","idem":"reject_active")"
    R"("taskharbor","trace","upnext","weave"cancelled"scheduled"leased"done"ready"dead")"
    R"("plan_seed":"sqlite"memory"mutant:mutants/postgres"redis"exec:"base64":"unrecoverable":true)"
    R"("reset_attempts":true"next_page":true"cursor":"state":"reason":"error":"boom"attempts":)"
    R"("max":10"max":2"lease_ms":1000"lease_ms":5000"priority":"key":"k1"timeout_ms":1000"limit":)"
    R"("payload":"p"payload":{"size":4097,"seed":"attempt_offset":-1"id":"job-1"job":{"id":"nope"})"
    R"("when":{"base":"absolute","offset_ms":-1,"when":{"base":"now","offset_ms":1000})"
    R"("token":{"forged":"forged"}{"do":"pause","client":"{"do":"resume","client":"{"do":"close")"
    R"({"do":"requeue","client":"a1","slot":{"do":"dead","client":"{"do":"list","client":"a1")"
    R"({"do":"cancel","client":"{"do":"get","client":"a1","job":{"made":0}},)"
    R"({"do":"nack","client":"w1","token":{"claim":0},"error":""}{"do":"fail","client":"w2")"
    R"({"do":"retry","client":"w1","token":{"claim":0},"when":{"base":"now"}},)"
    R"({"do":"extend","client":"w1","job":{"claimed":0},"token":{"claim":0},"lease_ms":)"
    "{\"kind\":\"assay-plan\",\"assay_version\":\"0.1.0\",\"driver\":\"memory\",\"profile\":{"
    "\"base\":\"reference\"},\"driver_seed\":\"0000000000000000\",\"rule\":\"FENCE-LEASE-CLAIM-"
    "SCHED-RETRY-IDEMP-STATE-DLQ-ENQ-ACK-1\",\"history_hash\":\"0000000000000000\",\"plan\":{"
    "\"name\":\"scenario/seed/shrunk/\",\"clients\":[{\"name\":\"p1\",\"role\":\"producer\"},{"
    "\"name\":\"a1\",\"role\":\"admin\"},{\"name\":\"w1\",\"role\":\"worker\"},{\"name\":\"w2\","
    "\"role\":\"worker\"}],\"steps\":[\n"
    "{\"do\":\"enqueue\",\"client\":\"p1\",\"slot\":0,\"queue\":\"q\",\"type\":\"t\"},\n"
    "{\"do\":\"reserve\",\"client\":\"w1\",\"slot\":0,\"queue\":\"q\"},\n"
    "{\"do\":\"advance\",\"when\":{\"base\":\"due\",\"job\":{\"made\":0},\"offset_ms\":1}},\n"
    "{\"do\":\"advance\",\"when\":{\"base\":\"expiry\",\"claim\":0}},\n"
    "{\"do\":\"ack\",\"client\":\"w1\",\"job\":{\"claimed\":0},\"token\":{\"claim\":0}}]}}";

static const Bytef* bytes_at(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

// Raw, without zlib's own header and checksum: a token has its own.
std::string deflated(std::string_view text) {
  z_stream stream{};
  const int effort = text.size() < long_text ? Z_BEST_COMPRESSION : Z_BEST_SPEED;
  CHECK(deflateInit2(&stream, effort, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  CHECK(deflateSetDictionary(&stream, bytes_at(dictionary), dictionary.size()) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = const_cast<Bytef*>(bytes_at(text));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::optional<std::string> inflated(std::string_view bytes) {
  z_stream stream{};
  CHECK(inflateInit2(&stream, -15) == Z_OK);
  CHECK(inflateSetDictionary(&stream, bytes_at(dictionary), dictionary.size()) == Z_OK);
  stream.next_in = const_cast<Bytef*>(bytes_at(bytes));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() < text_max) {
    char chunk[4096];
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, sizeof chunk - stream.avail_out);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(std::move(out)) : std::nullopt;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(crc32(0, nullptr, 0), bytes_at(bytes), static_cast<uInt>(bytes.size())));
}

}  // namespace assay::detail
