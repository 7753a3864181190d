package io.sluice.envoy.decide;

/** The charges for a request with several descriptors or for a refused request. */
public enum CountingMode {
    /** All descriptors are one decision: all pass and all are charged, or one refuses and none is charged. */
    TOGETHER,
    /**
     * The mode of the reference service: each descriptor is decided on its own, and refused requests are also counted. A limit that refuses
     * then has nothing left until its window ends.
     */
    REFERENCE
}
