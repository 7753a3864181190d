package io.sluice.center.durable;

import io.sluice.testkit.database.MariaDbServer;
import org.junit.jupiter.api.Tag;

/** Durable sums in MariaDB. {@link MariaDbDurableBookRoundTripTest} is the short form. */
@Tag("long")
class MariaDbDurableBookTest extends DurableBookContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
