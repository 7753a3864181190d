package io.sluice.benchmarks.faults;

/**
 * A fault of Redis or of nodes.
 *
 * @param id the number in the table of faults, such as F1
 * @param what a short description of the fault
 * @param promised the most that callers may notice
 * @param scenario injects the fault and measures
 */
public record Fault(String id, String what, String promised, Scenario scenario) {

    /** Injects a fault and records what callers notice. */
    @FunctionalInterface
    public interface Scenario {
        void run(Trial trial) throws Exception;
    }
}
