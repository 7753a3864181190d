package io.sluice.center.alert;

import io.sluice.testkit.database.MariaDbServer;

/** Alerts in MariaDB. */
class MariaDbAlertsTest extends AlertsContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }
}
