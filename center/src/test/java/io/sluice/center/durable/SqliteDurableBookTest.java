package io.sluice.center.durable;

/** Durable sums in SQLite. */
class SqliteDurableBookTest extends DurableBookContract {

    @Override
    String url() {
        return "";
    }
}
