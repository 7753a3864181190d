package io.sluice.center;

import io.sluice.testkit.database.MariaDbServer;

/** The first start on a real MariaDB. */
class MariaDbFirstStartTest extends FirstStartContract {

    @Override
    String emptyDatabase() {
        return MariaDbServer.shared().database();
    }
}
