package io.sluice.center.audit;

import io.sluice.runtime.witness.TreeHash;

/**
 * The newest row of the log, and the root of the tree over it and all rows before it.
 *
 * @param number 0 if there is no row
 */
public record AuditHead(long number, String hash) {

    public static final AuditHead NONE = new AuditHead(0, TreeHash.EMPTY);
}
