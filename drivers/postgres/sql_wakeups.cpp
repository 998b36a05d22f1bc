// Wake-ups: triggers that are there only while somebody listens. NOTIFY makes commits wait for each
// other, and who does not listen should not pay for it.
#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

// Who listens shares the first; who makes the triggers or takes them away has the second alone.
static const char* const listening = "'seqs'::regclass::oid::integer, 2";
static const char* const changing = "'seqs'::regclass::oid::integer, 3";

// Any namespace, any queue, in the 63 bytes that a channel's name may have.
std::string channel_of(const std::string& queue) {
  return "'assay_' || md5(convert_to(" + era() + " || ':', 'UTF8') || " + queue + ")";
}

static std::string trigger_function(const std::string& name, const std::string& body) {
  return "CREATE OR REPLACE FUNCTION " + name +
         "() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM pg_notify(" + body +
         "; RETURN NULL; END $f$;\n";
}

// A job that comes back may be due later than now, of which no trigger knows: it is a hint.
std::string begin_listening() {
  return std::string("SELECT pg_advisory_lock_shared(") + listening +
         ");\nDO $d$ BEGIN\n  PERFORM pg_advisory_xact_lock(" + changing + R"sql();
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'paused'::regclass AND tgname = 'wake_resumed')
    THEN RETURN; END IF;
)sql" +
         trigger_function("wake_made",
                          channel_of("queue") +
                              ", CASE WHEN count(*) = 1 AND max(length(long_id)) IS NULL THEN "
                              "encode((array_agg(id))[1], 'hex') ELSE '' END) FROM made WHERE "
                              "run_at <= created_at GROUP BY queue") +
         trigger_function("wake_back", channel_of("NEW.queue") +
                                           ", CASE WHEN NEW.long_id IS NULL THEN "
                                           "encode(NEW.id, 'hex') ELSE '' END)") +
         trigger_function("wake_resumed", channel_of("OLD.queue") + ", '')") + R"sql(
  CREATE TRIGGER wake_made AFTER INSERT ON jobs REFERENCING NEW TABLE AS made FOR EACH STATEMENT
    EXECUTE FUNCTION wake_made();
  CREATE TRIGGER wake_back AFTER UPDATE OF state ON jobs FOR EACH ROW
    WHEN (NEW.state = 'w' AND OLD.state <> 'w') EXECUTE FUNCTION wake_back();
  CREATE TRIGGER wake_resumed AFTER DELETE ON paused FOR EACH ROW EXECUTE FUNCTION wake_resumed();
END $d$;)sql";
}

// Who ends without this leaves the triggers to the next one who listens, or to the namespace's end.
std::string end_listening() {
  return std::string("SELECT pg_advisory_unlock_shared(") + listening +
         ");\nSET lock_timeout = '1s';\nDO $d$ BEGIN\n  PERFORM pg_advisory_xact_lock(" + changing +
         ");\n  IF NOT pg_try_advisory_xact_lock(" + listening + R"sql() THEN RETURN; END IF;
  DROP TRIGGER IF EXISTS wake_made ON jobs;
  DROP TRIGGER IF EXISTS wake_back ON jobs;
  DROP TRIGGER IF EXISTS wake_resumed ON paused;
END $d$;)sql";
}

}  // namespace assay::pg
