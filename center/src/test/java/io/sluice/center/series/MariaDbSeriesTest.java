package io.sluice.center.series;

import io.sluice.testkit.database.MariaDbServer;

class MariaDbSeriesTest extends SeriesContract {

    @Override
    String url() {
        return MariaDbServer.shared().database();
    }

    @Override
    int seconds() {
        return 3_600 + 300;
    }
}
