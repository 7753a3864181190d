package io.sluice.center.alert;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts in MariaDB: some tests of the long form, {@link MariaDbAlertsTest}. */
class MariaDbAlertsRoundTripTest {

    private interface Part {
        void run(AlertsContract contract) throws Exception;
    }

    @Test
    void whatFiresSurvivesARestartAndIsNotToldTwice(@TempDir Path data) throws Exception {
        run(data, AlertsContract::whatFiresSurvivesARestartAndIsNotToldTwice);
    }

    @Test
    void rulesCanBeChangedAddedAndRemoved(@TempDir Path data) throws Exception {
        run(data, AlertsContract::rulesCanBeChangedAddedAndRemoved);
    }

    private static void run(Path data, Part part) throws Exception {
        AlertsContract contract = new MariaDbAlertsTest();
        contract.data = data;
        contract.open();
        try {
            part.run(contract);
        } finally {
            contract.close();
        }
    }
}
