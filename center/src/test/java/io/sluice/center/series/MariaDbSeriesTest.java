package io.sluice.center.series;

import io.sluice.testkit.database.MariaDbServer;
import org.junit.jupiter.api.Tag;

/** Series in MariaDB. {@link MariaDbSeriesRoundTripTest} is the short form. */
@Tag("long")
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
