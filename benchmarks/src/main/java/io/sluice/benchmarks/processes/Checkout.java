package io.sluice.benchmarks.processes;

import java.nio.file.Path;
import java.util.Optional;

/** The checkout that {@code ./sluice} belongs to. */
public final class Checkout {

    private Checkout() {}

    /** Returns the folder of {@code ./sluice}; empty if the program was not started by it. */
    public static Optional<Path> root() {
        return Optional.ofNullable(System.getProperty("sluice.root")).map(Path::of);
    }
}
