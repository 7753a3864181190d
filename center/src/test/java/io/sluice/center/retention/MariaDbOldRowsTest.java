package io.sluice.center.retention;

import io.sluice.testkit.database.MariaDbServer;
import org.junit.jupiter.api.Tag;

/** Old rows of MariaDB. {@link MariaDbOldRowsRoundTripTest} is the short form. */
@Tag("long")
class MariaDbOldRowsTest extends OldRowsContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
