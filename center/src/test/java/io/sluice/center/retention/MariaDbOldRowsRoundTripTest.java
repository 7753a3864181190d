package io.sluice.center.retention;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old rows of MariaDB: some tests of the long form, {@link MariaDbOldRowsTest}. */
class MariaDbOldRowsRoundTripTest {

    private interface Part {
        void run(OldRowsContract contract) throws Exception;
    }

    @Test
    void everyRoundThatRemovesSomethingIsARowOfTheLog(@TempDir Path data) throws Exception {
        run(data, OldRowsContract::everyRoundThatRemovesSomethingIsARowOfTheLog);
    }

    @Test
    void versionsThatSomethingOpenIsAboutStay(@TempDir Path data) throws Exception {
        run(data, OldRowsContract::versionsThatSomethingOpenIsAboutStay);
    }

    private static void run(Path data, Part part) throws Exception {
        OldRowsContract contract = new MariaDbOldRowsTest();
        contract.data = data;
        contract.open();
        try {
            part.run(contract);
        } finally {
            contract.close();
        }
    }
}
