package io.sluice.center.durable;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Durable sums in MariaDB: some tests of the long form, {@link MariaDbDurableBookTest}. */
class MariaDbDurableBookRoundTripTest {

    private interface Part {
        void run(DurableBookContract contract) throws Exception;
    }

    @Test
    void anOlderStateNeverReplacesANewerOne(@TempDir Path data) throws Exception {
        run(data, DurableBookContract::anOlderStateNeverReplacesANewerOne);
    }

    @Test
    void pagesHaveAllSumsOnce(@TempDir Path data) throws Exception {
        run(data, DurableBookContract::pagesHaveAllSumsOnce);
    }

    private static void run(Path data, Part part) throws Exception {
        DurableBookContract contract = new MariaDbDurableBookTest();
        contract.data = data;
        contract.open();
        try {
            part.run(contract);
        } finally {
            contract.close();
        }
    }
}
