// SPDX-License-Identifier: MIT
#include "core/sweep/sweep_state.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdio>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"

namespace sotto {

namespace {

constexpr int format = 1;
constexpr std::int64_t application = 0x536f7474;  // "Sott"

constexpr const char* schema = R"(
CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE inputs(file TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE points(
  point INTEGER PRIMARY KEY,
  hash TEXT UNIQUE,
  state TEXT NOT NULL CHECK(state IN ('pending', 'done', 'failed')),
  error TEXT NOT NULL DEFAULT '',
  not_converged INTEGER NOT NULL DEFAULT 0);
)";

constexpr const char* state_names[] = {"pending", "done", "failed"};

PointState state_named(const std::string& name) {
  return name == "done" ? PointState::done : name == "failed" ? PointState::failed : PointState::pending;
}

}  // namespace

/// One connection. What SQLite cannot write is an OutputError, what it cannot read a RunError.
class SqliteDatabase {
 public:
  explicit SqliteDatabase(const std::string& file, SweepState::Access access = SweepState::Access::change)
      : path(file) {
    constexpr int patience_ms = 10000;
    // to write where that can be, also for who only looks: what a killed program left half-done is undone first
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sqlite3* opened = nullptr;  // to be closed even where opening failed
    const int code =
        sqlite3_open_v2(file.c_str(), &opened,
                        access == SweepState::Access::look ? flags : flags | SQLITE_OPEN_CREATE, nullptr);
    connection_.reset(opened);
    check(code);
    sqlite3_busy_timeout(handle(), patience_ms);  // somebody may be looking while a batch is written
    run("PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE; PRAGMA temp_store = MEMORY");
  }

  sqlite3* handle() const { return connection_.get(); }

  void check(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    const std::string why = connection_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
    switch (code & 0xff) {
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
        throw RunError(fmt::format("{} is damaged: {}", path, why));
      default:
        throw OutputError(fmt::format("cannot write {}: {}", path, why));
    }
  }
  void run(const char* statements) const {
    check(sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr));
  }

  std::string path;

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

namespace {

/// A prepared statement: bind, step, read, again.
class Statement {
 public:
  Statement(const SqliteDatabase& database, const char* text) : database_(database) {
    check(sqlite3_prepare_v2(database.handle(), text, -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  Statement& bind(int at, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, at, value));
    return *this;
  }
  Statement& bind(int at, const std::string& text) {
    check(sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
    return *this;
  }
  Statement& bind_null(int at) {
    check(sqlite3_bind_null(statement_, at));
    return *this;
  }
  /// Whether there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    check(code);
    return code == SQLITE_ROW;
  }
  void execute() {
    step();
    check(sqlite3_reset(statement_));
  }
  std::int64_t number(int column) { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) {
    const auto* bytes = sqlite3_column_text(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? "" : std::string(reinterpret_cast<const char*>(bytes), size);
  }

 private:
  void check(int code) const { database_.check(code); }

  const SqliteDatabase& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// All or nothing.
template <class Work>
void transaction(const SqliteDatabase& database, Work work) {
  database.run("BEGIN IMMEDIATE");
  try {
    work();
    database.run("COMMIT");
  } catch (...) {
    if (sqlite3_get_autocommit(database.handle()) == 0)
      sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void make_tables(const SqliteDatabase& database, const SweepIdentity& identity) {
  database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, format).c_str());
  database.run(schema);
  Statement key(database, "INSERT INTO sweep VALUES(?, ?)");
  key.bind(1, "program").bind(2, identity.program).execute();
  key.bind(1, "scenario").bind(2, identity.scenario).execute();
  Statement input(database, "INSERT INTO inputs VALUES(?, ?)");
  for (const auto& [file, hash] : identity.inputs) input.bind(1, file).bind(2, hash).execute();
}

void insert_point(Statement& insert, const PointRecord& p) {
  insert.bind(1, static_cast<std::int64_t>(p.point));
  if (p.hash.empty())
    insert.bind_null(2);
  else
    insert.bind(2, p.hash);
  insert.bind(3, std::string(state_names[static_cast<int>(p.state)]))
      .bind(4, p.error)
      .bind(5, static_cast<std::int64_t>(p.not_converged))
      .execute();
}

constexpr const char* insert_text = "INSERT INTO points VALUES(?, ?, ?, ?, ?)";

}  // namespace

SweepState::SweepState(std::string path, Access access)
    : path_(std::move(path)), database_(std::make_unique<SqliteDatabase>(path_, access)) {
  Statement pages(*database_, "PRAGMA page_count");
  pages.step();
  Statement owner(*database_, "PRAGMA application_id");
  owner.step();
  if (pages.number(0) > 0 && owner.number(0) != application)
    throw ScenarioError({path_, 0, 0}, "", "is the database of something else: choose another folder");
  Statement version(*database_, "PRAGMA user_version");
  version.step();
  if (version.number(0) > format)
    throw RunError(fmt::format("{} was written by a later version of the program", path_));
}

SweepState::~SweepState() = default;

std::optional<SweepIdentity> SweepState::identity() const {
  Statement tables(*database_, "SELECT count(*) FROM sqlite_master WHERE name = 'points'");
  tables.step();
  if (tables.number(0) == 0) return {};
  SweepIdentity identity;
  Statement keys(*database_, "SELECT key, value FROM sweep");
  while (keys.step()) {
    if (keys.text(0) == "program") identity.program = keys.text(1);
    if (keys.text(0) == "scenario") identity.scenario = keys.text(1);
  }
  Statement inputs(*database_, "SELECT file, sha256 FROM inputs");
  while (inputs.step()) identity.inputs[inputs.text(0)] = inputs.text(1);
  return identity;
}

void SweepState::plan(const SweepIdentity& identity, const std::vector<PointRecord>& points) {
  transaction(*database_, [&] {
    make_tables(*database_, identity);
    Statement insert(*database_, insert_text);
    for (const PointRecord& p : points) insert_point(insert, p);
  });
}

void SweepState::mend(const SweepIdentity& identity, const std::vector<PointRecord>& points) {
  transaction(*database_, [&] {
    Statement input(*database_, "INSERT OR REPLACE INTO inputs VALUES(?, ?)");
    for (const auto& [file, hash] : identity.inputs) input.bind(1, file).bind(2, hash).execute();
    Statement update(*database_, "UPDATE points SET hash = ?, state = 'pending', error = '' WHERE point = ?");
    for (const PointRecord& p : points)
      update.bind(1, p.hash).bind(2, static_cast<std::int64_t>(p.point)).execute();
  });
}

void SweepState::record(const std::vector<PointRecord>& batch) {
  transaction(*database_, [&] {
    Statement update(*database_, "UPDATE points SET state = ?, error = ?, not_converged = ? WHERE point = ?");
    for (const PointRecord& p : batch)
      update.bind(1, std::string(state_names[static_cast<int>(p.state)]))
          .bind(2, p.error)
          .bind(3, static_cast<std::int64_t>(p.not_converged))
          .bind(4, static_cast<std::int64_t>(p.point))
          .execute();
  });
}

void SweepState::each(const std::function<void(const PointRecord&)>& visit) const {
  Statement rows(*database_, "SELECT point, hash, state, error, not_converged FROM points ORDER BY point");
  while (rows.step())
    visit({static_cast<std::uint64_t>(rows.number(0)), rows.text(1), state_named(rows.text(2)), rows.text(3),
           static_cast<std::uint64_t>(rows.number(4))});
}

SweepState::Counts SweepState::counts() const {
  Statement rows(
      *database_,
      "SELECT count(*), sum(state = 'done'), sum(state = 'failed'), sum(not_converged) FROM points");
  rows.step();
  const auto number = [&](int column) { return static_cast<std::uint64_t>(rows.number(column)); };
  return {number(0), number(1), number(2), number(3)};
}

bool SweepState::complete() const {
  Statement row(*database_, "SELECT count(*) FROM sweep WHERE key = 'complete'");
  row.step();
  return row.number(0) > 0;
}

void SweepState::reopen() {
  database_->run("DELETE FROM sweep WHERE key = 'complete'");
}

void SweepState::complete_it() {
  const std::string partial = path_ + partial_suffix;
  std::error_code error;
  std::filesystem::remove(partial, error);
  std::filesystem::remove(partial + "-journal", error);
  {
    const SqliteDatabase anew(partial);
    const auto known = identity();
    transaction(anew, [&] {
      make_tables(anew, *known);
      Statement(anew, "INSERT INTO sweep VALUES('complete', 'yes')").execute();
      Statement insert(anew, insert_text);
      each([&](const PointRecord& p) { insert_point(insert, p); });
    });
  }
  database_.reset();
  if (std::rename(partial.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {}", partial));
  sync_file_system(std::filesystem::path(path_).parent_path().string());
  database_ = std::make_unique<SqliteDatabase>(path_);
}

}  // namespace sotto
