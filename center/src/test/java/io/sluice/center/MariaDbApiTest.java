package io.sluice.center;

import io.sluice.testkit.database.MariaDbServer;

/** The API on a real MariaDB. */
class MariaDbApiTest extends CenterApiContract {

    private String last = "";

    @Override
    String emptyDatabase() {
        last = MariaDbServer.shared().database();
        return last;
    }

    @Override
    String lastDatabase() {
        return last;
    }
}
