package io.sluice.envoy.decide;

/** What is charged for a request with several descriptors, or for one that is refused. */
public enum CountingMode {
    /** All descriptors are one decision: all pass and all are charged, or one refuses and none is charged. */
    TOGETHER,
    /**
     * The way of the reference service: each descriptor is decided on its own, and refused requests are counted too. A limit that
     * refuses then has nothing left until its window ends.
     */
    REFERENCE
}
