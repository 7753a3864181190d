package io.sluice.benchmarks.faults;

/**
 * Something that happens to Redis, or to nodes.
 *
 * @param id as in the table of faults
 * @param what happens
 * @param promised what callers may notice of it
 */
public record Fault(String id, String what, String promised, Scenario scenario) {

    /** Makes it happen, and looks. */
    @FunctionalInterface
    public interface Scenario {
        void run(Trial trial) throws Exception;
    }
}
