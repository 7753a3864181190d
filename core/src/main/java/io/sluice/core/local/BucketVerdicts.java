package io.sluice.core.local;

import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LazyVerdicts;
import io.sluice.core.spi.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The verdicts of a decision over several {@linkplain Cell.Bucket buckets}: they are computed from the words that it found. */
final class BucketVerdicts extends LazyVerdicts {

    private final List<Demand> demands;
    private final Cell.Bucket[] buckets;
    private final long[] words;
    private final boolean charged;
    private final long nowMicros;

    /** The verdicts that were read so far. Two threads may each compute a verdict; both are equal. */
    private @Nullable Verdict @Nullable [] known;

    /**
     * @param words the words of the buckets before the decision
     */
    BucketVerdicts(List<Demand> demands, Cell.Bucket[] buckets, long[] words, boolean charged, long nowMicros) {
        this.demands = demands;
        this.buckets = buckets;
        this.words = words;
        this.charged = charged;
        this.nowMicros = nowMicros;
    }

    @Override
    public Verdict get(int index) {
        @Nullable Verdict[] read = known;
        if (read == null) {
            read = new Verdict[buckets.length];
            known = read;
        }
        Verdict verdict = read[index];
        if (verdict == null) {
            Demand demand = demands.get(index);
            long grant = buckets[index].grant(demand, words[index], nowMicros);
            verdict =
                    buckets[index].finalVerdict(demand, words[index], grant, charged && demand.isCharged(), nowMicros);
            read[index] = verdict;
        }
        return verdict;
    }

    @Override
    public int size() {
        return buckets.length;
    }
}
