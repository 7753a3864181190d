package io.sluice.center.series;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Series in MariaDB: some tests of the long form, {@link MariaDbSeriesTest}. */
class MariaDbSeriesRoundTripTest {

    private interface Part {
        void run(SeriesContract contract) throws Exception;
    }

    @Test
    void lateDataOpensItsMinuteAgainAlsoWhenItsHourIsOver(@TempDir Path data) throws Exception {
        run(data, SeriesContract::lateDataOpensItsMinuteAgainAlsoWhenItsHourIsOver);
    }

    private static void run(Path data, Part part) throws Exception {
        SeriesContract contract = new MariaDbSeriesTest();
        contract.data = data;
        contract.open();
        try {
            part.run(contract);
        } finally {
            contract.close();
        }
    }
}
