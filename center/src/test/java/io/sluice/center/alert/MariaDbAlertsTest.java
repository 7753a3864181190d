package io.sluice.center.alert;

import io.sluice.testkit.database.MariaDbServer;
import org.junit.jupiter.api.Tag;

/** Alerts in MariaDB. {@link MariaDbAlertsRoundTripTest} is the short form. */
@Tag("long")
class MariaDbAlertsTest extends AlertsContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
