package io.sluice.center.retention;

/** Old rows of SQLite. */
class SqliteOldRowsTest extends OldRowsContract {

    @Override
    String url() {
        return "";
    }
}
