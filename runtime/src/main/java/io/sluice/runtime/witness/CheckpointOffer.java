package io.sluice.runtime.witness;

import java.util.List;
import java.util.Optional;

/**
 * A checkpoint, with what convinces a node that it extends the one that the node holds.
 *
 * @param key the key that signed it
 * @param changes how the key followed from earlier ones, the oldest first
 * @param proofs one for each size that nodes hold; none is needed by a node that holds nothing
 */
public record CheckpointOffer(
        Checkpoint checkpoint, LogKey key, List<KeyChange> changes, List<ConsistencyProof> proofs) {

    /** The maximum number of changes of the key, and of proofs. */
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
