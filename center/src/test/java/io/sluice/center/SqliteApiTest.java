package io.sluice.center;

/** The API on the embedded database. */
class SqliteApiTest extends CenterApiContract {

    @Override
    String emptyDatabase() {
        return "";
    }

    @Override
    String lastDatabase() {
        return "";
    }
}
