package io.sluice.center.checkpoint;

import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.NodeText;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.CheckpointOffer;
import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of the log that a center read last. With it, the center can answer nodes without the database. Immutable.
 *
 * @param log the id of the log; empty if it has none yet
 * @param head the newest row
 * @param newest the newest checkpoint
 * @param keys the key of each checkpoint by its id
 * @param changes the changes of the key, the oldest first
 * @param sizes the known states of the sizes that nodes report
 */
record LogView(
        String log,
        AuditHead head,
        Optional<Checkpoint> newest,
        Map<String, LogKey> keys,
        List<KeyChange> changes,
        Map<Long, Size> sizes) {

    static final LogView NONE = new LogView("", AuditHead.NONE, Optional.empty(), Map.of(), List.of(), Map.of());

    LogView {
        keys = Map.copyOf(keys);
        changes = List.copyOf(changes);
        sizes = Map.copyOf(sizes);
    }

    /**
     * A size that nodes report.
     *
     * @param root the root of this log's tree at this size; empty if the tree is smaller
     * @param proof the proof that the newest checkpoint extends this size; empty if it does not
     */
    record Size(Optional<String> root, Optional<ConsistencyProof> proof) {

        static final Size BEYOND = new Size(Optional.empty(), Optional.empty());
    }

    /**
     * Returns the offer for a node with this report, or without one.
     *
     * <p>A node whose size this center has not looked up yet gets no offer. An offer without a proof would look like a fork, and a center
     * without access to its database may be behind the others.
     */
    Optional<CheckpointOffer> offer(Optional<WitnessReport> held) {
        if (newest.isEmpty()) {
            return Optional.empty();
        }
        if (held.isEmpty() || !held.get().log().equals(log)) {
            return offer(changes, List.of());
        }
        long size = held.get().size();
        List<KeyChange> since = since(held.get().key());
        if (size == newest.get().size() || size == 0) {
            return offer(since, List.of(new ConsistencyProof(size, List.of())));
        }
        return Optional.ofNullable(sizes.get(size))
                .flatMap(known -> offer(since, known.proof().stream().toList()));
    }

    /** Returns one offer for many nodes. */
    Optional<CheckpointOffer> offer(List<Long> held) {
        return offer(
                changes,
                held.stream()
                        .flatMap(size -> Optional.ofNullable(sizes.get(size)).flatMap(Size::proof).stream())
                        .limit(CheckpointOffer.MOST)
                        .toList());
    }

    private Optional<CheckpointOffer> offer(List<KeyChange> history, List<ConsistencyProof> proofs) {
        return newest.flatMap(checkpoint -> Optional.ofNullable(keys.get(checkpoint.key()))
                .map(key -> new CheckpointOffer(
                        checkpoint,
                        key,
                        history.subList(Math.max(0, history.size() - CheckpointOffer.MOST), history.size()),
                        proofs)));
    }

    private List<KeyChange> since(String key) {
        for (int i = changes.size() - 1; i >= 0; i--) {
            if (changes.get(i).before().equals(key)) {
                return changes.subList(i, changes.size());
            }
        }
        return List.of();
    }

    /** Returns whether a node's root equals the root of this log at the same size; empty if that is not known yet. */
    Optional<Boolean> agrees(WitnessReport report) {
        if (log.isEmpty()) {
            return Optional.empty();
        }
        if (!report.log().equals(log)) {
            return Optional.of(false);
        }
        return Optional.ofNullable(sizes.get(report.size()))
                .map(size -> size.root().equals(Optional.of(report.root())));
    }

    /** Returns the contradiction between a node's report and the log, as the end of a sentence that starts with the node. */
    Optional<String> contradiction(WitnessReport report) {
        if (agrees(report).filter(same -> !same).isPresent()) {
            if (!report.log().equals(log)) {
                return Optional.of("witnessed another log, " + report.log());
            }
            if (report.size() > head.number()) {
                return Optional.of("witnessed " + report.size() + " rows of the audit log, which has " + head.number()
                        + ": rows were removed, or an old backup was restored");
            }
            return Optional.of("witnessed another history: row " + report.size()
                    + " of the audit log or an earlier one was replaced");
        }
        return report.refused().map(why -> "refuses the audit log: " + NodeText.printable(why));
    }
}
