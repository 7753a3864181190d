package io.sluice.core.local;

import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one process and the decisions on them. A decision on one token bucket is a compare-and-set. Any other decision locks its
 * counts and charges all or none. If they are known token buckets and all are free, it reads the time and takes the locks in the order of
 * the demands. Otherwise it waits for the locks in an order that is the same for all threads, and then reads the time.
 *
 * <p>The number of keys is bounded. Beyond the bound, unknown keys share a few overflow counts of their limit: memory does not grow, known
 * keys keep their exact counts, and all other keys together are limited to a few times the limit.
 */
final class LocalCounts {

    private static final int OVERFLOW_COUNTS = 16;
    static final int LIMITS_KEPT = 200_000;

    private final ConcurrentHashMap<Limit, RegisteredLimit> registry = new ConcurrentHashMap<>();
    private final SeriesTable series = new SeriesTable();
    private final LongAdder overflowed = new LongAdder();

    /** The number of positions of a decision that have had an overflow count. */
    private final AtomicInteger positions = new AtomicInteger();

    private final SettlementTable settlements;
    private final CellTable table;
    private final LongSupplier micros;
    private final @Nullable SteadyTime steady;

    /**
     * Creates an empty set of counts.
     *
     * @param micros the time, in microseconds since the epoch; may step back unless it is a {@link SteadyTime}
     * @param bound the number of keys that get a count of their own
     */
    public LocalCounts(LongSupplier micros, long bound) {
        this.micros = micros;
        this.steady = micros instanceof SteadyTime time ? time : null;
        this.table = new CellTable(micros, bound);
        this.settlements = new SettlementTable(bound);
    }

    /**
     * A limit that was asked before.
     *
     * @param series the series of the limit's counts
     * @param packed the meaning of their words, if the limit fits into one
     * @param buckets direct access to them; null without {@code packed}, and for a limit that has later time slots
     */
    record RegisteredLimit(
            CountSeries series,
            @Nullable PackedBucket packed,
            @Nullable Buckets buckets) {}

    /** Returns the number of series in memory. */
    int series() {
        return series.size();
    }

    /** Returns the number of counts in memory. */
    public long size() {
        return table.size();
    }

    /** Returns the number of decisions that were made on overflow counts. */
    public long overflowed() {
        return overflowed.sum();
    }

    /** Decides the ask. */
    public EngineDecision decide(Ask ask) {
        List<Demand> demands = ask.demands();
        return demands.size() == 1 ? decideOne(ask, demands.get(0)) : decideAll(ask, demands);
    }

    private EngineDecision decideOne(Ask ask, Demand demand) {
        RegisteredLimit registered = registered(demand.limit());
        String key = CountKey.bounded(demand.key());
        for (int spins = 0; ; spins++) {
            Cell cell = cell(ask, registered, demand.limit(), key, 0, spins == 0);
            boolean lockFree = cell instanceof Cell.Bucket;
            long word = lockFree ? cell.word() : cell.lock();
            if (word < 0) {
                Cell.pause(spins);
                continue;
            }
            if (!lockFree) {
                return decideLocked(ask, demand, cell, word);
            }
            if (!ask.charges() && disagrees(cell, registered)) {
                Cell seen = seenBy(registered, demand.limit(), cell, word, micros.getAsLong());
                return decideLocked(ask, demand, seen, seen.lock());
            }
            long now = micros.getAsLong();
            long grant = cell.grant(demand, word, now);
            boolean charged = grant > 0 && ask.charges() && demand.isCharged();
            if (!charged || cell.replaceWord(word, cell.charge(demand, word, grant, now))) {
                return new EngineDecision(
                        grant > 0, List.of(cell.finalVerdict(demand, word, grant, charged, now)), now, null);
            }
        }
    }

    private EngineDecision decideLocked(Ask ask, Demand demand, Cell cell, long word) {
        long left = word;
        try {
            long now = micros.getAsLong();
            long grant = cell.grant(demand, word, now);
            boolean charged = grant > 0 && ask.charges() && demand.isCharged();
            Verdict verdict = cell.finalVerdict(demand, word, grant, charged, now);
            left = settled(ask, cell, demand, word, grant, charged, now);
            return new EngineDecision(grant > 0, List.of(verdict), now, null);
        } finally {
            cell.unlock(left);
        }
    }

    private EngineDecision decideAll(Ask ask, List<Demand> demands) {
        EngineDecision quick = ask.charges() ? tryDecide(demands) : null;
        if (quick != null) {
            return quick;
        }
        Cell[] cells = new Cell[demands.size()];
        long[] words = new long[cells.length];
        for (int spins = 0; !lockAll(ask, cells, words, spins == 0); spins++) {
            Cell.pause(spins);
        }
        try {
            return decideLocked(ask, demands, cells, words);
        } finally {
            unlock(cells, words, 0);
        }
    }

    /**
     * Decides and charges demands on several buckets if all of them are known and no other thread works on them. Otherwise, and if two
     * demands are for the same count, charges none and returns null.
     */
    @Nullable
    EngineDecision tryDecide(List<Demand> demands) {
        Cell.Bucket[] buckets = new Cell.Bucket[demands.size()];
        for (int i = 0; i < buckets.length; i++) {
            Demand demand = demands.get(i);
            RegisteredLimit registered = registered(demand.limit());
            Cell cell = table.find(registered.series, CountKey.bounded(demand.key()));
            if (!(cell instanceof Cell.Bucket bucket) || !bucket.packed.agreesWith(registered.packed)) {
                return null;
            }
            buckets[i] = bucket;
        }
        return decideBuckets(demands, buckets, micros.getAsLong());
    }

    /**
     * Decides on buckets without waiting: returns null if one of them is not free, because a thread that waits for a lock must take them in
     * order. The verdicts are computed later, if callers read them.
     *
     * @param now the time, read before the locks are taken, so it is a little early but never in the caller's favour
     */
    private static @Nullable EngineDecision decideBuckets(List<Demand> demands, Cell.Bucket[] buckets, long now) {
        long[] words = new long[buckets.length];
        boolean allowed = true;
        int locked = 0;
        int charged = 0;
        try {
            while (locked < buckets.length) {
                Cell.Bucket bucket = buckets[locked];
                Demand demand = demands.get(locked);
                long word = bucket.tryLock();
                if (word < 0) {
                    return null;
                }
                words[locked++] = word;
                allowed &= bucket.grant(demand, word, now) > 0;
            }
            for (; allowed && charged < buckets.length; charged++) {
                Cell.Bucket bucket = buckets[charged];
                Demand demand = demands.get(charged);
                long word = words[charged];
                boolean partial = demand.atLeast() < demand.permits();
                long grant = partial ? bucket.grant(demand, word, now) : demand.permits();
                bucket.unlock(demand.isCharged() ? bucket.charge(demand, word, grant, now) : word);
            }
        } finally {
            for (; charged < locked; charged++) {
                buckets[charged].unlock(words[charged]);
            }
        }
        return new EngineDecision(allowed, new BucketVerdicts(demands, buckets, words, allowed, now), now, null);
    }

    private static void unlock(Cell[] cells, long[] words, int from) {
        for (int i = from; i < cells.length; i++) {
            cells[i].unlock(words[i]);
        }
    }

    private EngineDecision decideLocked(Ask ask, List<Demand> demands, Cell[] cells, long[] words) {
        long now = micros.getAsLong();
        if (ask.charges()) {
            return decideLocked(ask, demands, cells, words, now);
        }
        Cell[] seen = cells.clone();
        long[] seenWords = words.clone();
        for (int i = 0; i < cells.length; i++) {
            Limit limit = demands.get(i).limit();
            RegisteredLimit registered = registered(limit);
            if (disagrees(cells[i], registered)) {
                seen[i] = seenBy(registered, limit, cells[i], words[i], now);
                seenWords[i] = seen[i].word();
            }
        }
        return decideLocked(ask, demands, seen, seenWords, now);
    }

    /** Decides on locked cells, and leaves in {@code words} the words to unlock them with. */
    private static EngineDecision decideLocked(Ask ask, List<Demand> demands, Cell[] cells, long[] words, long now) {
        long[] grants = new long[cells.length];
        boolean allowed = true;
        for (int i = 0; i < cells.length; i++) {
            grants[i] = cells[i].grant(demands.get(i), words[i], now);
            allowed &= grants[i] > 0;
        }
        boolean charged = allowed && ask.charges();
        Verdict[] verdicts = new Verdict[cells.length];
        for (int i = 0; i < cells.length; i++) {
            Demand demand = demands.get(i);
            verdicts[i] = cells[i].finalVerdict(demand, words[i], grants[i], charged && demand.isCharged(), now);
        }
        for (int i = 0; i < cells.length; i++) {
            Demand demand = demands.get(i);
            words[i] = settled(ask, cells[i], demand, words[i], grants[i], charged && demand.isCharged(), now);
        }
        return new EngineDecision(allowed, List.of(verdicts), now, null);
    }

    /** Returns the final word of the cell. */
    private static long settled(Ask ask, Cell cell, Demand demand, long word, long grant, boolean charged, long now) {
        return charged ? cell.charge(demand, word, grant, now) : ask.charges() ? cell.refuse(word, now) : word;
    }

    /**
     * Finds and locks the cells of all demands. Returns false, with no cell locked, if one of them left the table meanwhile.
     *
     * @param sweeps whether to make room for new cells; once is enough, because a sweep may drop cells that were just found
     */
    private boolean lockAll(Ask ask, Cell[] cells, long[] words, boolean sweeps) {
        List<Demand> demands = ask.demands();
        for (int i = 0; i < cells.length; i++) {
            Limit limit = demands.get(i).limit();
            cells[i] = cell(
                    ask,
                    registered(limit),
                    limit,
                    CountKey.bounded(demands.get(i).key()),
                    i,
                    sweeps);
        }
        int[] order = inOrder(cells);
        for (int n = 0; n < order.length; n++) {
            words[order[n]] = cells[order[n]].lock();
            if (words[order[n]] == Cell.DEAD) {
                unlock(cells, words, order, n);
                return false;
            }
        }
        if (!ask.charges() && !stillUnknown(demands, cells)) {
            unlock(cells, words, 0);
            return false;
        }
        return true;
    }

    /**
     * Returns whether keys that were unknown when they were looked up are still unknown. Otherwise a look would see a partial
     * decision.
     */
    private boolean stillUnknown(List<Demand> demands, Cell[] cells) {
        for (int i = 0; i < cells.length; i++) {
            Cell known = table.find(
                    registered(demands.get(i).limit()).series(),
                    CountKey.bounded(demands.get(i).key()));
            if (known != null && known != cells[i]) {
                return false;
            }
        }
        return true;
    }

    private static void unlock(Cell[] cells, long[] words, int[] order, int count) {
        for (int n = 0; n < count; n++) {
            cells[order[n]].unlock(words[order[n]]);
        }
    }

    private static int[] inOrder(Cell[] cells) {
        int[] order = new int[cells.length];
        for (int i = 0; i < order.length; i++) {
            int at = i;
            while (at > 0 && CountSeries.compare(cells[order[at - 1]], cells[i]) > 0) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = i;
        }
        return order;
    }

    /** Gives back the part of a charge that still counts. Returns whether it was a permit that was still held. */
    public boolean giveBack(Charge charge) {
        return onCell(charge, (cell, word) -> {
            long now = micros.getAsLong();
            boolean held = cell.isHeld(charge, now);
            word[0] = cell.giveBack(charge, word[0], now);
            return held;
        });
    }

    /** Renews a held permit. Returns false if it is not held. */
    public boolean renew(Charge charge) {
        return onCell(charge, (cell, word) -> cell.renew(charge, micros.getAsLong()));
    }

    /** Settles a reservation once, and notifies the listener if this changed its count now. */
    SettlementResult settle(Settlement settlement, LocalEngine.@Nullable ReturnListener listener) {
        return settlements.once(settlement, micros.getAsLong(), due -> {
            Change change = changeBy(due);
            if (listener != null) {
                listener.settled(due, change.permits, change.atMicros);
            }
            return change.permits;
        });
    }

    /** The change of a count, and its time. */
    private record Change(long permits, long atMicros) {}

    /** Returns the number of stored settlements. */
    long settlements() {
        return settlements.size();
    }

    private Change changeBy(Settlement settlement) {
        if (settlement.more() == 0) {
            return new Change(0, micros.getAsLong());
        }
        for (int spins = 0; ; spins++) {
            Cell cell = settledCell(settlement);
            if (cell == null) {
                return new Change(0, micros.getAsLong());
            }
            long[] word = {cell.lock()};
            if (word[0] == Cell.DEAD) {
                Cell.pause(spins);
                continue;
            }
            try {
                long now = micros.getAsLong();
                long permits = cell instanceof Cell.Bucket bucket
                        ? changeBy(settlement, bucket, word, now)
                        : ((Cell.Other) cell).count.settle(settlement, now);
                return new Change(permits, now);
            } finally {
                cell.unlock(word[0]);
            }
        }
    }

    /** Returns the count of a reservation. If it no longer exists, there are no permits to give back, and a charge gets a new count. */
    private @Nullable Cell settledCell(Settlement settlement) {
        Limit limit = settlement.limit();
        String key = CountKey.bounded(settlement.key());
        if (settlement.more() < 0) {
            CountSeries in = series.find(limit);
            return in == null ? null : table.find(in, key);
        }
        return anyCell(registered(limit), limit, key, 0, true);
    }

    /**
     * Settles on a locked bucket, and leaves in {@code word} the word to unlock it with. The bucket is replaced if it has drained and
     * continues at another pace, or if it now needs more than a word.
     */
    private long changeBy(Settlement settlement, Cell.Bucket bucket, long[] word, long now) {
        TokenBucket limit = (TokenBucket) settlement.limit();
        PackedBucket in = bucket.packed;
        BucketState before = in.state(word[0], now).atSettlement(limit.pace(), now);
        BucketState after = before.settle(settlement, now);
        boolean samePace = after.pace().equals(in.limit.pace());
        if (samePace && in.holds(after.used())) {
            word[0] = in.word(after);
        } else if (!after.isUnused()) {
            boolean unused = table.replace(
                    bucket,
                    samePace
                            ? new Cell.Other(bucket.series, bucket.key, Count.of(in.limit, after))
                            : withNumbers(bucket, after, registered(limit), limit));
            word[0] = Cell.DEAD;
        }
        return after.over(before);
    }

    private interface Action {
        /** Works on a locked cell, and leaves in {@code word} the word to unlock it with. */
        boolean on(Cell cell, long[] word);
    }

    /** Runs the action on the cell that was charged. Returns false if the cell, and so the charge, no longer exists. */
    private boolean onCell(Charge charge, Action action) {
        // A charge may come from outside, so it must not add a series or a count.
        CountSeries in = series.find(charge.limit());
        if (in == null) {
            return false;
        }
        String key = CountKey.bounded(charge.key());
        boolean done = onCell(in, key, action);
        if (charge.limit().kind().holds()) {
            // Held permits are identified by their holder, so looking in the wrong cell does no harm.
            for (int position = 0; position < positions.get(); position++) {
                done |= onCell(in, overflowKey(in, key, position), action);
            }
        }
        return done;
    }

    private boolean onCell(CountSeries in, String key, Action action) {
        for (Cell cell = table.find(in, key); cell != null; cell = table.find(in, key)) {
            long[] word = {cell.lock()};
            if (word[0] != Cell.DEAD) {
                try {
                    return action.on(cell, word);
                } finally {
                    cell.unlock(word[0]);
                }
            }
        }
        return false;
    }

    /** Drops the counts of keys that match, and returns their number. Overflow counts stay, because they belong to no single key. */
    long forget(KeyMatch match) {
        settlements.forget(match);
        return table.removeIf(cell -> !cell.isOverflow() && CountKey.matches(cell.key, match));
    }

    RegisteredLimit registered(Limit limit) {
        RegisteredLimit known = registry.get(limit);
        if (known != null) {
            return known;
        }
        if (registry.size() > LIMITS_KEPT) {
            registry.clear();
        }
        return registry.computeIfAbsent(limit, this::newRegistered);
    }

    private RegisteredLimit newRegistered(Limit limit) {
        CountSeries in = series.findOrAdd(limit);
        PackedBucket packed =
                steady != null && limit instanceof TokenBucket bucket ? PackedBucket.of(bucket, steady) : null;
        Buckets buckets = packed != null && limit.maxWaitMicros() == 0 ? new Buckets(this, limit, in, packed) : null;
        return new RegisteredLimit(in, packed, buckets);
    }

    /**
     * Returns the cell to decide an ask on. A look gets the cell as it is, possibly with other numbers, see {@link #seenBy}.
     * For an unknown key it gets a cell that no other thread will see, or the overflow cell that a charge would get.
     */
    private Cell cell(Ask ask, RegisteredLimit registered, Limit limit, String key, int position, boolean sweeps) {
        if (ask.charges()) {
            return cell(registered, limit, key, position, sweeps);
        }
        Cell known = table.find(registered.series, key);
        if (known == null && table.isFull()) {
            known = table.find(registered.series, overflowKey(registered.series, key, position));
        }
        return known == null ? newCell(registered, limit, key) : known;
    }

    @Nullable
    Cell find(CountSeries in, String key) {
        return table.find(in, key);
    }

    /** Returns the cell of a key under a limit, or an overflow cell if there is no room for it. */
    Cell cell(RegisteredLimit registered, Limit limit, String key, int position, boolean sweeps) {
        return agreed(anyCell(registered, limit, key, position, sweeps), registered, limit);
    }

    /** Returns the same cell, possibly with other numbers. */
    private Cell anyCell(RegisteredLimit registered, Limit limit, String key, int position, boolean sweeps) {
        Cell cell = table.find(registered.series, key);
        if (cell == null) {
            cell = table.findOrAdd(registered.series, key, true, sweeps, () -> newCell(registered, limit, key));
        }
        if (cell == null) {
            cell = overflow(registered, limit, key, position);
        }
        return cell;
    }

    private Cell agreed(Cell cell, RegisteredLimit registered, Limit limit) {
        return disagrees(cell, registered) ? adopt((Cell.Bucket) cell, registered, limit) : cell;
    }

    /** Returns whether the cell's word has another meaning than a word under the numbers of the limit. */
    private static boolean disagrees(Cell cell, RegisteredLimit registered) {
        return cell instanceof Cell.Bucket bucket && !bucket.packed.agreesWith(registered.packed);
    }

    /** Returns a cell that {@link #disagrees} as a look with other numbers sees it: a copy, because a look must not change the cell. */
    private static Cell seenBy(RegisteredLimit registered, Limit limit, Cell cell, long word, long now) {
        Cell.Bucket bucket = (Cell.Bucket) cell;
        return withNumbers(bucket, bucket.packed.state(word, now), registered, (TokenBucket) limit);
    }

    private Cell overflow(RegisteredLimit registered, Limit limit, String key, int position) {
        overflowed.increment();
        if (position >= positions.get()) {
            positions.accumulateAndGet(position + 1, Math::max);
        }
        // Different positions of a decision never share an overflow cell, because a decision cannot lock a cell twice.
        String shared = overflowKey(registered.series, key, position);
        return Objects.requireNonNull(
                table.findOrAdd(registered.series, shared, false, false, () -> newCell(registered, limit, shared)));
    }

    private static String overflowKey(CountSeries in, String key, int position) {
        return Cell.OVERFLOW + (in.hash(key) & (OVERFLOW_COUNTS - 1)) + ":" + position;
    }

    private static Cell newCell(RegisteredLimit registered, Limit limit, String key) {
        return registered.packed == null
                ? new Cell.Other(registered.series, key, Count.of(limit))
                : new Cell.Bucket(registered.series, key, registered.packed, PackedBucket.UNUSED);
    }

    /**
     * Converts a cell after the numbers of its limit have changed and words have another meaning. The used amount is kept, aged at the old
     * rate up to now, even if the ask is then refused: see {@link BucketState#at} and {@link BucketState#refused}.
     */
    private Cell adopt(Cell.Bucket bucket, RegisteredLimit registered, Limit limit) {
        long word = bucket.lock();
        if (word == Cell.DEAD) {
            return bucket;
        }
        long left = word;
        try {
            Cell adopted =
                    withNumbers(bucket, bucket.packed.state(word, micros.getAsLong()), registered, (TokenBucket) limit);
            boolean replaced = table.replace(bucket, adopted);
            left = Cell.DEAD;
            return replaced ? adopted : bucket;
        } finally {
            bucket.unlock(left);
        }
    }

    private static Cell withNumbers(
            Cell.Bucket bucket, BucketState state, RegisteredLimit registered, TokenBucket next) {
        if (registered.packed == null || !registered.packed.holds(state.used())) {
            return new Cell.Other(registered.series, bucket.key, Count.of(next, state));
        }
        BucketState carried = state.at(next.pace(), state.atMicros());
        PackedBucket packed = registered.packed.since(carried.sinceMicros());
        return new Cell.Bucket(registered.series, bucket.key, packed, packed.word(carried));
    }
}
