package io.sluice.runtime.data;

/** A part of a process that collects data for an outbox. */
@FunctionalInterface
public interface DataSource {

    /** Puts everything that was collected so far into the outbox. Called when the process stops. */
    void flush();
}
