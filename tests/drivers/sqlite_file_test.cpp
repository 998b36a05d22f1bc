// The sqlite driver and its file: what it refuses, what it leaves alone, what survives.
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "drivers/sqlite/detail/schema.h"
#include "harness/contract/records.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

std::string bytes_of(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return "";
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::size_t files_in(const TempFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

Result<std::unique_ptr<Driver>> make(const std::string& url) {
  static VirtualClock clock;
  return sqlite().make({reference(), clock, 1, url, ""});
}

// Makes the store and expects a refusal that says all of `words`; the file stays as it is.
void expect_refused(const TempFolder& folder, const std::string& path,
                    const std::vector<std::string>& words) {
  const std::string before = bytes_of(path);
  const std::size_t files = files_in(folder);
  const auto made = make(path);
  ASSERT_FALSE(made.ok());
  for (const std::string& word : words)
    EXPECT_NE(made.error().message.find(word), std::string::npos) << made.error().message;
  EXPECT_TRUE(is_definite(made.error()));
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(files_in(folder), files);
}

TEST(SqliteFile, BringsAStoreOfTheFirstVersionUpToDateWithItsJobs) {
  const TempFolder folder;
  {
    auto driver = make(folder / "f").value();
    ASSERT_TRUE(driver->setup({"test"}).ok());
    auto session = driver->open({"w"}).value();
    ASSERT_TRUE(session->enqueue(run_epoch, {{.id = "one", .queue = "q", .type = "t"}}).ok());
  }
  run_sql(folder / "f", "DROP TABLE records; DROP TABLE marks; PRAGMA user_version = 1");
  auto driver = make(folder / "f").value();
  ASSERT_TRUE(driver->setup({"test", Create::if_absent}).ok());
  auto session = driver->open({"w"}).value();
  EXPECT_TRUE(session->get(run_epoch, {"one"}).ok());
  EXPECT_TRUE(session->records()->read(run_epoch, "none").ok());
}

TEST(SqliteFile, RefusesWhatIsNotASqliteFile) {
  const TempFolder folder;
  for (const std::string& bytes :
       {std::string("hello"), std::string(8192, 'x'), std::string("SQLite format 3\0", 16)}) {
    write_file(folder / "f", bytes);
    expect_refused(folder, folder / "f", {folder / "f", "not a SQLite file", "another file"});
  }
}

TEST(SqliteFile, RefusesTheFileOfAnotherApplication) {
  const TempFolder folder;
  run_sql(folder / "plain", "CREATE TABLE jobs (x); INSERT INTO jobs VALUES (1)");
  expect_refused(folder, folder / "plain", {"another application", folder / "plain"});
  run_sql(folder / "marked", "PRAGMA application_id = 77; CREATE TABLE t (x)");
  expect_refused(folder, folder / "marked", {"another application"});
  run_sql(folder / "logged", "PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  expect_refused(folder, folder / "logged", {"another application"});
}

TEST(SqliteFile, RefusesANewerSchemaAndADamagedOne) {
  const TempFolder folder;
  ASSERT_TRUE(make(folder / "f").ok());
  run_sql(folder / "f", "PRAGMA user_version = 3");
  expect_refused(folder, folder / "f", {"version 3", "knows 2", "newer program"});
  run_sql(folder / "f", "PRAGMA user_version = 2; DROP TABLE paused");
  const auto damaged = make(folder / "f");
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.error().message.find("lacks tables"), std::string::npos);
}

TEST(SqliteFile, GivesAnOlderStoreWhatItLacks) {
  const TempFolder folder;
  ASSERT_TRUE(make(folder / "f").ok());
  run_sql(folder / "f", "DROP TABLE records; DROP TABLE marks; PRAGMA user_version = 1");
  ASSERT_TRUE(make(folder / "f").ok());
  lite::Connection look(folder / "f", SQLITE_OPEN_READONLY);
  EXPECT_EQ(look.number("PRAGMA user_version"), lite::schema_version);
  EXPECT_EQ(look.number("SELECT count(*) FROM records"), 0);
  EXPECT_EQ(look.number("SELECT count(*) FROM marks"), 0);
}

TEST(SqliteFile, MarksItsFile) {
  const TempFolder folder;
  ASSERT_TRUE(make(folder / "f").ok());
  lite::Connection look(folder / "f", SQLITE_OPEN_READONLY);
  EXPECT_EQ(look.number("PRAGMA application_id"), lite::application_id);
  EXPECT_EQ(look.number("PRAGMA user_version"), lite::schema_version);
  EXPECT_EQ(look.word("PRAGMA journal_mode"), "wal");
}

TEST(SqliteFile, TakesAnEmptyFileAndAnOddName) {
  const TempFolder folder;
  write_file(folder / "empty", "");
  EXPECT_TRUE(make(folder / "empty").ok());
  const std::string odd = folder / "a b%20#c'?d";
  EXPECT_TRUE(make(odd + "?synchronous=normal").ok());
  EXPECT_TRUE(std::filesystem::exists(odd));
}

TEST(SqliteFile, RefusesAMissingFolderAndAFolderAsFile) {
  const TempFolder folder;
  expect_refused(folder, folder / "no/such/f", {"does not exist", folder / "no/such"});
  std::filesystem::create_directory(folder / "d");
  expect_refused(folder, folder / "d", {"not a file"});
}

TEST(SqliteFile, RefusesAUrlThatItDoesNotUnderstand) {
  for (const char* url : {"", "?synchronous=full", "f?sync=full", "f?synchronous=maybe",
                          "f?max_pages=0", "f?max_pages=x", "f?busy_timeout_ms=-1", "f?x"})
    EXPECT_EQ(code_of(make(url)), ErrorCode::invalid) << url;
}

TEST(SqliteFile, ClaimsTheDurabilityThatItsSyncsGive) {
  const TempFolder folder;
  EXPECT_EQ(make(folder / "a").value()->profile().durability, Durability::crash);
  EXPECT_EQ(make((folder / "b") + "?synchronous=normal").value()->profile().durability,
            Durability::restart);
  EXPECT_EQ(make(":memory:").value()->profile().durability, Durability::none);
}

TEST(SqliteFile, KeepsAPrivateStoreInTheScratchFolderAndRemovesIt) {
  const TempFolder folder;
  VirtualClock clock;
  {
    const auto one = sqlite().make({reference(), clock, 1, std::nullopt, folder.path()});
    const auto two = sqlite().make({reference(), clock, 1, std::nullopt, folder.path()});
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_GE(files_in(folder), 2U);
  }
  EXPECT_EQ(files_in(folder), 0U);
  EXPECT_EQ(code_of(sqlite().make({reference(), clock, 1, std::nullopt, folder / "none"})),
            ErrorCode::unavailable);
}

// Runs as somebody for whom permissions count.
bool holds_for_a_mere_user(const std::function<bool()>& test) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(test() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SqliteFile, RefusesAReadOnlyFileAndAReadOnlyFolder) {
  const TempFolder folder;
  ASSERT_TRUE(make(folder / "f").ok());
  const auto refused_as_read_only = [&](const std::string& path) {
    return holds_for_a_mere_user([&] {
      const auto made = make(path);
      return !made.ok() && made.error().code == ErrorCode::unavailable &&
             is_definite(made.error()) &&
             made.error().message.find("read-only") != std::string::npos;
    });
  };
  ::chmod(folder.path().c_str(), 0777);
  ::chmod((folder / "f").c_str(), 0444);
  EXPECT_TRUE(refused_as_read_only(folder / "f"));
  ::chmod((folder / "f").c_str(), 0666);
  ::chmod(folder.path().c_str(), 0555);
  EXPECT_TRUE(refused_as_read_only(folder / "f"));
  EXPECT_TRUE(refused_as_read_only(folder / "new"));
  ::chmod(folder.path().c_str(), 0777);
  EXPECT_TRUE(holds_for_a_mere_user([&] { return make(folder / "f").ok(); }));
}

TEST(SqliteFile, SaysThatItIsFullAndKeepsWhatItHas) {
  const TempFolder folder;
  Rig rig(reference(), (folder / "f") + "?max_pages=60");
  NewJob job{{}, "q", "t", std::string(20'000, 'x')};
  int accepted = 0;
  std::optional<Error> refused;
  for (int i = 0; i < 100 && !refused; ++i) {
    const auto made = rig.session->enqueue(rig.now(), {job});
    if (made.ok())
      ++accepted;
    else
      refused = made.error();
  }
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(*refused));
  EXPECT_NE(refused->message.find("full"), std::string::npos);
  EXPECT_NE(refused->message.find("free some space"), std::string::npos);
  EXPECT_GT(accepted, 0);
  EXPECT_EQ(static_cast<int>(rig.session->list(rig.now(), {"q", {}, 1000})->jobs.size()), accepted);
  Rig roomy(reference(), (folder / "f") + "?max_pages=600", {"test", Create::never});
  EXPECT_EQ(static_cast<int>(roomy.reserve(1000).size()), accepted);
}

TEST(SqliteFile, SaysThatItIsLockedWhenSomebodyHoldsItForTooLong) {
  const TempFolder folder;
  Rig rig(reference(), (folder / "f") + "?busy_timeout_ms=1");
  lite::Connection other(folder / "f", SQLITE_OPEN_READWRITE);
  lite::Transaction writing(other, lite::Transaction::Kind::write);
  const auto refused = rig.session->enqueue(rig.now(), {NewJob{{}, "q", "t"}});
  EXPECT_EQ(code_of(refused), ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(refused.error()));
  EXPECT_TRUE(rig.session->list(rig.now(), {"q"}).ok()) << "readers do not wait for writers";
}

TEST(SqliteFile, KeepsItsJobsForTheNextProgram) {
  const TempFolder folder;
  JobId id;
  {
    Rig rig(reference(), folder / "f");
    id = rig.enqueue({});
    rig.pass(500);
  }
  Rig later(reference(), folder / "f", {"test", Create::never});
  EXPECT_EQ(later.now(), run_epoch + Duration{500});
  EXPECT_EQ(later.claim().job.id, id);
}

// A store whose last jobs are in its log alone, as a crash in the middle of a checkpoint leaves it:
// the first page, which says how long the file is, has been copied into the file, and no other.
std::vector<JobId> make_half_checkpointed(const TempFolder& folder, const std::string& path) {
  constexpr std::size_t page_size = 4096;
  std::vector<JobId> ids;
  {
    Rig rig(reference(), folder / "alive");
    for (int i = 0; i < 5; ++i) ids.push_back(rig.enqueue({.payload = std::string(50'000, 'x')}));
    for (const char* name : {"whole", "cut"})
      for (const char* part : {"", "-wal"})
        std::filesystem::copy_file((folder / "alive") + part, (folder / name) + part);
  }
  run_sql(folder / "whole", "PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string after = bytes_of(folder / "whole"), before = bytes_of(folder / "cut");
  EXPECT_LT(before.size(), after.size());
  write_file(path, after.substr(0, page_size) + before.substr(page_size));
  std::filesystem::copy_file((folder / "cut-wal"), path + "-wal");
  return ids;
}

TEST(SqliteFile, OpensAfterACheckpointThatWasCutOff) {
  const TempFolder folder;
  const std::vector<JobId> ids = make_half_checkpointed(folder, folder / "f");
  Rig rig(reference(), folder / "f", {"test", Create::never});
  std::vector<JobId> found;
  for (const Claim& claim : rig.reserve(100)) {
    found.push_back(claim.job.id);
    EXPECT_EQ(claim.job.payload, std::string(50'000, 'x'));
  }
  EXPECT_EQ(found, ids);
}

TEST(SqliteFile, RefusesAHalfCheckpointedFileWhoseLogIsGone) {
  const TempFolder folder;
  make_half_checkpointed(folder, folder / "f");
  std::filesystem::remove((folder / "f") + "-wal");
  expect_refused(folder, folder / "f", {folder / "f", "another file"});
}

TEST(SqliteFile, KeepsNamespacesApart) {
  const TempFolder folder;
  Rig one(reference(), folder / "f", {"one"});
  Rig two(reference(), folder / "f", {"two"});
  NewJob job{"same", "q", "t", "p"};
  job.key = "k";
  EXPECT_FALSE(one.session->enqueue(one.now(), {job})->existed);
  EXPECT_FALSE(two.session->enqueue(two.now(), {job})->existed);
  two.pass(1000);
  EXPECT_EQ(one.now(), run_epoch);
  ASSERT_TRUE(one.session->pause(one.now(), {"q"}).ok());
  EXPECT_EQ(two.reserve().size(), 1U);
  ASSERT_TRUE(two.driver->teardown().ok());
  ASSERT_TRUE(two.driver->setup({"two"}).ok());
  EXPECT_EQ(one.get("same").job.state, JobState::ready);
  const auto gone = two.session->get(two.now(), {"same"});
  EXPECT_EQ(code_of(gone), ErrorCode::unavailable) << "a session of the namespace that is gone";
  EXPECT_EQ(code_of(two.open("new")->get(two.now(), {"same"})), ErrorCode::not_found);
}

TEST(SqliteFile, AttachesToANamespaceThatExists) {
  const TempFolder folder;
  Rig one(reference(), folder / "f");
  const JobId id = one.enqueue({});
  Rig other(reference(), folder / "f", {"test", Create::never});
  EXPECT_EQ(other.claim().job.id, id);
  one.pass(20);
  EXPECT_EQ(other.now(), one.now());
  auto third = make(folder / "f");
  EXPECT_EQ(code_of((*third)->setup({"nowhere", Create::never})), ErrorCode::not_found);
  EXPECT_EQ(code_of((*third)->setup({"No!"})), ErrorCode::invalid);
}

}  // namespace
}  // namespace assay::lite_test
