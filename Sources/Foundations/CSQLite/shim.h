#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift's importer leaves out: SQLite copies the bytes.
static inline int csqlite_bind_bytes(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Swift's importer leaves out a macro that combines others.
static const int csqlite_failed_sync = SQLITE_IOERR_FSYNC;
static const int csqlite_failed_read = SQLITE_IOERR_READ;
// A page that the disk cannot read any more: EIO and such. Other errors of a read say nothing of the file.
static const int csqlite_unreadable_page = SQLITE_IOERR_CORRUPTFS;

#endif
