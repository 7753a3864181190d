package io.sluice.center;

/** The first start on the embedded database. */
class SqliteFirstStartTest extends FirstStartContract {

    @Override
    String emptyDatabase() {
        return "";
    }
}
