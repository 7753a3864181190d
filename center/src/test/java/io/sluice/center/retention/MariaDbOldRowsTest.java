package io.sluice.center.retention;

import io.sluice.testkit.database.MariaDbServer;

/** Old rows of MariaDB. */
class MariaDbOldRowsTest extends OldRowsContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
