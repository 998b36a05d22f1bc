// Records, and the function that commits everything at once.
#include "drivers/postgres/detail/sql.h"
#include "harness/contract/records.h"

namespace assay::pg {

// The settle, by the very functions that settle alone.
static const char* const settling = R"sql(
  IF kind_ <> '' THEN
    IF kind_ = 'hold' THEN
      SELECT * INTO one_ FROM extend(era_, now_ms, clock_, id_, token_, attempt_, unfenced_, true,
        edge_, 0);
    ELSIF kind_ = 'ack' THEN
      SELECT * INTO one_ FROM ack(era_, now_ms, clock_, id_, token_, attempt_, unfenced_, strict_,
        edge_, release_);
    ELSIF kind_ = 'nack' THEN
      SELECT * INTO one_ FROM nack(era_, now_ms, clock_, id_, token_, attempt_, unfenced_, strict_,
        edge_, release_, counter_, unrecoverable_, error_, hidden_, retries_, default_, window_,
        cap_, draw_);
    ELSE
      SELECT * INTO one_ FROM settle(era_, now_ms, clock_, id_, token_, attempt_, unfenced_,
        strict_, edge_, release_, kind_, attempts_, run_at_, reason_, error_);
    END IF;
    verdict := one_.verdict;
    j := one_.j;
    RETURN NEXT;
    IF verdict <> 'done' THEN RETURN; END IF;
  END IF;
)sql";

// In the order of their keys, so that two commits never wait for each other in a circle.
static const char* const parts = R"sql(
    FOR one_ IN
      SELECT 'put' AS part_, p.* , NULL::bigint AS from_, NULL::bytea AS mark_
        FROM unnest(put_keys_, put_values_, put_versions_) WITH ORDINALITY
        AS p (key_, value_, wanted_, place_)
      UNION ALL SELECT 'drop', key_, NULL, wanted_, place_, NULL, NULL
        FROM unnest(drop_keys_, drop_versions_) WITH ORDINALITY AS d (key_, wanted_, place_)
      UNION ALL SELECT 'count', key_, NULL, NULL, place_, from_, mark_
        FROM unnest(count_keys_, count_froms_, count_marks_) WITH ORDINALITY
        AS c (key_, from_, mark_, place_)
      ORDER BY 2
    LOOP
      verdict := one_.part_;
      j := NULL;
      j.seq := one_.place_;
      j.priority := 0;
)sql";

static const char* const put = R"sql(
      IF one_.part_ = 'put' THEN
        IF one_.wanted_ IS NULL THEN
          INSERT INTO records AS r (key, version, value) VALUES (one_.key_, 1, one_.value_)
            ON CONFLICT (key) DO UPDATE SET version = r.version + 1, value = one_.value_
            WHERE r.remaining IS NULL RETURNING r.version INTO number_;
        ELSIF one_.wanted_ = 0 THEN
          INSERT INTO records AS r (key, version, value) VALUES (one_.key_, 1, one_.value_)
            ON CONFLICT DO NOTHING RETURNING r.version INTO number_;
        ELSE
          UPDATE records AS r SET version = r.version + 1, value = one_.value_
            WHERE r.key = one_.key_ AND r.version = one_.wanted_ AND r.remaining IS NULL
            RETURNING r.version INTO number_;
        END IF;
        IF NOT FOUND THEN
          SELECT * INTO kept_ FROM records AS r WHERE r.key = one_.key_;
          no_ := 'put';
        END IF;
)sql";

static const char* const drop = R"sql(
      ELSIF one_.part_ = 'drop' THEN
        SELECT * INTO kept_ FROM records AS r WHERE r.key = one_.key_ FOR UPDATE;
        IF one_.wanted_ <> coalesce(kept_.version, 0) THEN
          no_ := 'drop';
        ELSIF FOUND THEN
          DELETE FROM records AS r WHERE r.key = one_.key_;
          IF kept_.remaining IS NOT NULL THEN
            DELETE FROM marks AS m WHERE m.key = one_.key_;
          END IF;
        END IF;
)sql";

// The row is locked before anything is decided: who counts at the same time waits, and who drops
// it meanwhile lets it begin anew.
static const char* const count = R"sql(
      ELSE
        FOR tries_ IN 1..100 LOOP
          INSERT INTO records (key, version, remaining) VALUES (one_.key_, 0, one_.from_)
            ON CONFLICT DO NOTHING;
          SELECT * INTO kept_ FROM records AS r WHERE r.key = one_.key_ FOR UPDATE;
          EXIT WHEN FOUND;
        END LOOP;
        number_ := kept_.remaining;
        IF number_ IS NULL THEN
          no_ := 'count';
        ELSIF number_ > 0 THEN
          INSERT INTO marks (key, mark) VALUES (one_.key_, one_.mark_) ON CONFLICT DO NOTHING;
          IF FOUND THEN
            UPDATE records AS r SET version = r.version + 1, remaining = r.remaining - 1
              WHERE r.key = one_.key_ RETURNING r.remaining INTO number_;
            j.priority := 1;
            IF number_ = 0 THEN ended_ := ended_ || one_.place_; END IF;
          END IF;
        END IF;
      END IF;
      IF no_ IS NOT NULL THEN
        place_ := one_.place_;
        j := NULL;
        j.rank := coalesce(kept_.version, 0);
        RAISE EXCEPTION USING ERRCODE = 'AY002';
      END IF;
      j.rank := number_;
      RETURN NEXT;
    END LOOP;
)sql";

// By the function that enqueues alone. `ofs_` says of which count a job is, 0: of none.
static const char* const enqueues = R"sql(
    FOR one_ IN SELECT * FROM unnest(ids_, queues_, types_, payloads_, run_ats_, max_attempts_s_,
        timeouts_, keys_, priorities_, ranks_, attempts_s_, ofs_) WITH ORDINALITY
        AS o (id_, queue_, type_, payload_, run_at_, max_attempts_, timeout_, key_, priority_,
          rank_, attempts_, of_, place_)
      WHERE of_ = 0 OR of_ = ANY (ended_) ORDER BY place_
    LOOP
      SELECT * INTO made_ FROM enqueue(era_, now_ms, clock_, one_.id_, one_.queue_, one_.type_,
        one_.payload_, one_.run_at_, one_.max_attempts_, one_.timeout_, one_.key_, one_.priority_,
        one_.rank_, one_.attempts_, hex_, keyed_, scope_, schedules_);
      j := NULL;
      IF made_.verdict NOT IN ('made', 'same') AND NOT (made_.verdict = 'key' AND existing_) THEN
        no_ := made_.verdict;
        place_ := one_.place_;
        j := made_.j;
        RAISE EXCEPTION USING ERRCODE = 'AY002';
      END IF;
      verdict := made_.verdict;
      j.id := (made_.j).id;
      j.long_id := (made_.j).long_id;
      j.seq := one_.place_;
      RETURN NEXT;
    END LOOP;
)sql";

// Answers a row for the settle, where there is one; then, where that was done, one for each record
// in the order of their keys, with its place among its kind, and one for each job that was
// enqueued. Where something is refused, two rows end the answer, whatever stands before them: what
// is refused of which place, and why. A subtransaction takes back what was done.
std::string commit_function() {
  return text_of(
      {.name = "commit_all",
       .parameters =
           hold_parameters() +
           ", release_ boolean, kind_ text, attempts_ bigint, run_at_ bigint, reason_ bytea, "
           "error_ bytea, counter_ text, unrecoverable_ boolean, hidden_ boolean, "
           "retries_ boolean, default_ bigint, window_ bigint, cap_ bigint, draw_ bigint, "
           "put_keys_ bytea[], put_values_ bytea[], put_versions_ bigint[], drop_keys_ bytea[], "
           "drop_versions_ bigint[], count_keys_ bytea[], count_froms_ bigint[], "
           "count_marks_ bytea[]" +
           many_parameters() + ", ofs_ bigint[]" + knob_parameters() + ", existing_ boolean",
       .variables = "  one_ record;\n  made_ record;\n  kept_ records;\n  number_ bigint;\n"
                    "  ended_ bigint[] := '{}';\n  no_ text;\n  place_ bigint;\n  why_ jobs;",
       .body = std::string("  BEGIN\n") + settling + parts + put + drop + count + enqueues + R"sql(
  EXCEPTION WHEN SQLSTATE 'AY002' THEN
    why_ := j;
    verdict := 'refusal';
    j := NULL;
    j.seq := place_;
    RETURN NEXT;
    verdict := no_;
    j := why_;
    RETURN NEXT;
  END;)sql"});
}

std::string find_record() {
  return "SELECT r.key, r.version, r.remaining, r.value FROM " + present() +
         " m LEFT JOIN records r ON r.key = $4::bytea";
}

// Up to the limit $6 and to a bound of bytes; `total` says how many there would be without that
// bound, one more than the limit where there are more. It begins at the later of prefix and $5, so
// that a page costs the same wherever it is.
std::string scan_records() {
  return "SELECT r.key, r.version, r.remaining, r.value, r.total FROM " + present() +
         " m LEFT JOIN LATERAL (SELECT * FROM (SELECT k.*, count(*) OVER () AS total, "
         "row_number() OVER (ORDER BY key) AS place, coalesce(sum(length(value)) OVER (ORDER BY "
         "key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM (SELECT * FROM "
         "records WHERE key >= greatest($4::bytea, $5::bytea) AND ($5::bytea IS NULL OR key > $5) "
         "ORDER BY key LIMIT "
         "$6::bigint + 1) k WHERE substring(key FROM 1 FOR length($4)) = $4) p WHERE place <= $6 "
         "AND before < " +
         std::to_string(most_values_bytes) + ") r ON true ORDER BY r.key";
}

}  // namespace assay::pg
