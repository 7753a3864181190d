package io.sluice.center.durable;

import io.sluice.testkit.database.MariaDbServer;

/** Durable sums in MariaDB. */
class MariaDbDurableBookTest extends DurableBookContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
