package io.sluice.envoy.decide;

/** What a request is charged that has several descriptors, or is refused. */
public enum CountingMode {
    /** All descriptors are one decision: all pass and all are charged, or one refuses and none is charged. */
    TOGETHER,
    /**
     * As the reference service does: each descriptor by itself, and what is refused counts as well. A limit that refuses has then
     * nothing left until its window ends.
     */
    REFERENCE
}
