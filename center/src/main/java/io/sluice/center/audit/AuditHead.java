package io.sluice.center.audit;

import io.sluice.runtime.witness.TreeHash;

/**
 * The newest row of the log, and the root of the tree over all rows up to it.
 *
 * @param number the number of the newest row; 0 if the log is empty
 */
public record AuditHead(long number, String hash) {

    public static final AuditHead NONE = new AuditHead(0, TreeHash.EMPTY);
}
