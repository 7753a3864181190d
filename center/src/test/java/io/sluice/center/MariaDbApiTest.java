package io.sluice.center;

import io.sluice.testkit.database.MariaDbServer;
import org.junit.jupiter.api.Tag;

/** The API on a real MariaDB. {@link MariaDbRoundTripTest} is its short form. */
@Tag("long")
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
