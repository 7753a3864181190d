package io.sluice.runtime.durable;

import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A fleet for each test. */
abstract class DurableFleetFixture {

    @TempDir
    Path folder;

    DurableFleet fleet;

    @BeforeEach
    void createFleet() {
        fleet = new DurableFleet(folder);
    }

    /** Runs after what a test class closes. */
    @AfterEach
    void closeFleet() {
        fleet.close();
    }

    /** Everything that a process knows comes from its disk then. */
    void restartWithoutCenter(DurableFleet.Member stopped) {
        fleet.store().lose();
        DurableFleet.Member unused = stopped.withoutCenter().start();
    }

    static void await(String what, BooleanSupplier condition) {
        Await.until(what, DurableFleet.PATIENCE, condition);
    }
}
