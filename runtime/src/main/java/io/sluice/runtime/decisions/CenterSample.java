package io.sluice.runtime.decisions;

import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DecisionEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The sample of decisions for the center: every refusal up to a number per second, and a share of the allowed requests. A refusal beyond
 * that number counts as dropped; an allowed request outside the share does not. {@link #takes} is thread-safe, the other methods are
 * called by one thread at a time.
 */
final class CenterSample {

    static final int MOST_REFUSED = 100;
    static final int MOST_ALLOWED = 20;

    /** The maximum number of characters of the entries of one second: many times what typical entries need. */
    static final int MOST_CHARACTERS = 200_000;

    private final DataOutbox outbox;
    private final DecisionSampler sampler;
    private final double allowedShare;
    private final PlaceCounts counts = new PlaceCounts("center");
    private final SecondBudget refused = new SecondBudget(MOST_REFUSED);
    private final SecondBudget allowed = new SecondBudget(MOST_ALLOWED);
    private final List<DecisionEntry> entries = new ArrayList<>();
    private long characters;
    private long toldDropped;

    CenterSample(DataOutbox outbox, DecisionSampler sampler, double allowedShare) {
        this.outbox = outbox;
        this.sampler = sampler;
        this.allowedShare = allowedShare;
    }

    PlaceCounts counts() {
        return counts;
    }

    /** Returns whether a decision belongs to the sample. */
    boolean takes(boolean passed, long nowMicros) {
        long second = TimeUnit.MICROSECONDS.toSeconds(nowMicros);
        if (passed) {
            return allowed.take(second);
        }
        if (refused.take(second)) {
            return true;
        }
        counts.addDropped(1);
        return false;
    }

    /** Returns whether this request belongs to the share. Costs less than reading the time. */
    boolean chooses(boolean passed) {
        return !passed || sampler.chooses(allowedShare);
    }

    void add(DecisionEntry entry) {
        characters += entry.toJson().length();
        if (characters > MOST_CHARACTERS) {
            counts.addDropped(1);
        } else {
            entries.add(entry);
        }
    }

    /** Puts the entries since the last call into the outbox. */
    void tell() {
        if (!entries.isEmpty()) {
            outbox.add(Kind.DECISIONS, DecisionEntry.toBytes(entries));
            counts.addLogged(entries.size());
            entries.clear();
        }
        characters = 0;
        long dropped = counts.dropped();
        if (dropped > toldDropped) {
            outbox.dropped(Kind.DECISIONS, dropped - toldDropped);
            toldDropped = dropped;
        }
    }
}
