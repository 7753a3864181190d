package io.sluice.center.alert;

/** Alerts in SQLite. */
class SqliteAlertsTest extends AlertsContract {

    @Override
    String url() {
        return "";
    }
}
