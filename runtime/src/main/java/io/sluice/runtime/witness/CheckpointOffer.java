package io.sluice.runtime.witness;

import java.util.List;
import java.util.Optional;

/**
 * A checkpoint, with the proof for a node that it extends the checkpoint that the node holds.
 *
 * @param key the key that signed the checkpoint
 * @param changes the changes that lead from earlier keys to this key, the oldest first
 * @param proofs one proof for each size that nodes hold; a node that holds nothing needs none
 */
public record CheckpointOffer(
        Checkpoint checkpoint, LogKey key, List<KeyChange> changes, List<ConsistencyProof> proofs) {

    /** The maximum number of key changes, and the maximum number of proofs. */
    public static final int MOST = 20;

    public CheckpointOffer {
        changes = List.copyOf(changes);
        proofs = List.copyOf(proofs);
        if (changes.size() > MOST || proofs.size() > MOST) {
            throw new IllegalArgumentException("audit: too long (expected: at most " + MOST + " changes and proofs)");
        }
    }

    /** Returns the proof that the checkpoint extends a log of this size. */
    public Optional<ConsistencyProof> proof(long from) {
        return proofs.stream().filter(proof -> proof.from() == from).findFirst();
    }
}
