package io.sluice.runtime.fleet;

import java.util.Optional;

/** A way to the center. Calls block until the answer arrives, so use a thread that may block. Not thread-safe. */
public interface FleetLine extends AutoCloseable {

    /**
     * Sends a report and returns the answer; empty if the report was stored but no center has answered lately.
     *
     * @throws LostCenterException if the report was not stored, or the answer cannot be read
     */
    Optional<Fleet> send(NodeReport report) throws LostCenterException;

    /** Returns whether there is a center at the other end for certain. */
    boolean hasCenter();

    /** Returns where the changes between lost and reachable are logged. */
    OutageLog log();

    @Override
    void close();
}
