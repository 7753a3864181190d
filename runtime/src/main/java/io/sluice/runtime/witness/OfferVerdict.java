package io.sluice.runtime.witness;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The verdict of a witness on an offer. */
sealed interface OfferVerdict {

    /** The offer extends the held checkpoint. */
    record Accepted(HeldCheckpoint next) implements OfferVerdict {}

    /** The witness holds this checkpoint, or a newer one of the same state. */
    record Known() implements OfferVerdict {}

    /** The offer may extend the held checkpoint, but has no proof for it. Redis carries a few proofs for all nodes. */
    record Unproven(String why) implements OfferVerdict {}

    /** The offer contradicts the held checkpoint. */
    record Refused(String why) implements OfferVerdict {}

    /** Judges an offer by the held checkpoint, if there is one. */
    static OfferVerdict of(@Nullable HeldCheckpoint held, CheckpointOffer offer) {
        Checkpoint shown = offer.checkpoint();
        if (held != null) {
            if (!shown.log().equals(held.log())) {
                return new Refused(
                        "the center shows the log " + shown.log() + ", this node has witnessed the log " + held.log());
            }
            Optional<String> foreign = foreign(held, offer);
            if (foreign.isPresent()) {
                return new Refused(foreign.get());
            }
        }
        if (!shown.isBy(offer.key())) {
            return new Refused(
                    "the checkpoint is not signed with the key " + offer.key().id());
        }
        HeldCheckpoint next = new HeldCheckpoint(offer.key(), shown);
        return held == null ? new Accepted(next) : compared(held.checkpoint(), next, offer);
    }

    private static OfferVerdict compared(Checkpoint held, HeldCheckpoint next, CheckpointOffer offer) {
        Checkpoint shown = next.checkpoint();
        if (shown.size() < held.size()) {
            return new Refused("the center shows " + shown.size() + " rows, this node has witnessed " + held.size());
        }
        if (shown.size() == held.size()) {
            if (!shown.root().equals(held.root())) {
                return forked(held, shown);
            }
            return shown.atMillis() > held.atMillis() ? new Accepted(next) : new Known();
        }
        Optional<ConsistencyProof> proof = held.size() == 0
                ? Optional.of(new ConsistencyProof(0, List.of())) // Every log extends the empty one.
                : offer.proof(held.size());
        if (proof.isEmpty()) {
            return new Unproven("the center does not prove that its " + shown.size() + " rows begin with the "
                    + held.size() + " rows that this node has witnessed");
        }
        return proof.get().proves(held.root(), shown.size(), shown.root()) ? new Accepted(next) : forked(held, shown);
    }

    private static Refused forked(Checkpoint held, Checkpoint shown) {
        return new Refused("the center shows another history: its " + shown.size() + " rows do not begin with the "
                + held.size() + " rows that this node has witnessed");
    }

    /** Returns why the key of an offer does not follow from the key that the witness trusts; empty if it does. */
    private static Optional<String> foreign(HeldCheckpoint held, CheckpointOffer offer) {
        LogKey trusted = held.key();
        // Each step uses up one change, so a circle of changes ends.
        for (int step = 0; step <= offer.changes().size(); step++) {
            if (trusted.equals(offer.key())) {
                return Optional.empty();
            }
            String before = trusted.id();
            List<KeyChange> changes = offer.changes().stream()
                    .filter(change -> change.before().equals(before))
                    .toList();
            if (changes.isEmpty()) {
                break;
            }
            LogKey signer = trusted;
            Optional<KeyChange> signed = changes.stream()
                    .filter(change -> change.log().equals(held.log()) && change.isBy(signer))
                    .findFirst();
            if (signed.isEmpty()) {
                return Optional.of(
                        "the change to the key " + changes.get(0).next().id() + " is not signed with the key " + before
                                + " that this node trusts");
            }
            trusted = signed.get().next();
        }
        return Optional.of("the center signs with the key " + offer.key().id() + ", which does not follow from the key "
                + held.key().id() + " that this node trusts");
    }
}
