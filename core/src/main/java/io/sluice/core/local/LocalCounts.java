package io.sluice.core.local;

import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one process and the decisions on them. A decision on one token bucket is a compare-and-set; any other locks its
 * counts, in one order for everybody, reads the time once they are its own, and charges all or none.
 *
 * <p>The number of keys is bounded. Beyond the bound, keys that are not known yet share a few overflow counts of their limit:
 * memory does not grow, known keys keep their exact counts, and the others together are held to a few times the limit.
 */
final class LocalCounts {

    private static final int OVERFLOW_COUNTS = 16;
    private static final int LIMITS_KEPT = 200_000;

    private final ConcurrentHashMap<Limit, RegisteredLimit> registry = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<CountSeries.Id, CountSeries> series = new ConcurrentHashMap<>();
    private final LongAdder overflowed = new LongAdder();

    /** How many positions of a decision have had an overflow count. */
    private final AtomicInteger positions = new AtomicInteger();

    private final CellTable table;
    private final LongSupplier micros;
    private final @Nullable SteadyTime steady;

    /**
     * No counts yet.
     *
     * @param micros the time, in microseconds since the epoch; may step back unless it is a {@link SteadyTime}
     * @param bound how many keys get a count of their own
     */
    public LocalCounts(LongSupplier micros, long bound) {
        this.micros = micros;
        this.steady = micros instanceof SteadyTime time ? time : null;
        this.table = new CellTable(micros, bound);
    }

    /** Where the counts of a limit are registry, and what its words mean if they have one. */
    record RegisteredLimit(CountSeries series, @Nullable PackedBucket packed) {}

    /** How many counts are held. */
    public long size() {
        return table.size();
    }

    /** How many decisions were made on overflow counts. */
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
            boolean charged = grant > 0 && ask.charges();
            if (!charged || cell.replaceWord(word, cell.charge(demand, word, grant, now))) {
                return new EngineDecision(
                        grant > 0, List.of(verdict(cell, demand, word, grant, charged, now)), now, null);
            }
        }
    }

    private EngineDecision decideLocked(Ask ask, Demand demand, Cell cell, long word) {
        long left = word;
        try {
            long now = micros.getAsLong();
            long grant = cell.grant(demand, word, now);
            boolean charged = grant > 0 && ask.charges();
            Verdict verdict = verdict(cell, demand, word, grant, charged, now);
            left = settled(ask, cell, demand, word, grant, charged, now);
            return new EngineDecision(grant > 0, List.of(verdict), now, null);
        } finally {
            cell.unlock(left);
        }
    }

    private EngineDecision decideAll(Ask ask, List<Demand> demands) {
        Cell[] cells = new Cell[demands.size()];
        long[] words = new long[cells.length];
        for (int spins = 0; !lockAll(ask, cells, words, spins == 0); spins++) {
            Cell.pause(spins);
        }
        try {
            return decideLocked(ask, demands, cells, words);
        } finally {
            for (int i = 0; i < cells.length; i++) {
                cells[i].unlock(words[i]);
            }
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

    /** Leaves in {@code words} what the cells are to be unlocked with. */
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
            verdicts[i] = verdict(cells[i], demands.get(i), words[i], grants[i], charged, now);
        }
        for (int i = 0; i < cells.length; i++) {
            words[i] = settled(ask, cells[i], demands.get(i), words[i], grants[i], charged, now);
        }
        return new EngineDecision(allowed, List.of(verdicts), now, null);
    }

    /** What the demand is told. What an overflow count was charged is final: it cannot be told whose it was. */
    private static Verdict verdict(Cell cell, Demand demand, long word, long grant, boolean charged, long now) {
        Verdict verdict = cell.verdict(demand, word, grant, charged, now);
        return charged && cell.isOverflow() ? verdict.withoutReturn() : verdict;
    }

    /** The word that the cell is left with. */
    private static long settled(Ask ask, Cell cell, Demand demand, long word, long grant, boolean charged, long now) {
        return charged ? cell.charge(demand, word, grant, now) : ask.charges() ? cell.refuse(word, now) : word;
    }

    /**
     * Finds and locks the cells of all demands; false, with none locked, if one of them left the table meanwhile.
     *
     * @param sweeps whether room is made for new cells; once will do, because it may be made of those that were just found
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
            unlock(cells, words, order, order.length);
            return false;
        }
        return true;
    }

    /** Whether keys that were not known when they were looked up still are not: else a look would see half of a decision. */
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

    /** Gives back what still counts. */
    public void giveBack(Charge charge) {
        onCell(charge, (cell, word) -> {
            word[0] = cell.giveBack(charge, word[0], micros.getAsLong());
            return true;
        });
    }

    /** Renews a permit that is held; false if it is not. */
    public boolean renew(Charge charge) {
        return onCell(charge, (cell, word) -> cell.renew(charge, micros.getAsLong()));
    }

    private interface Action {
        /** Works on a locked cell, and leaves in {@code word} what it is to be unlocked with. */
        boolean on(Cell cell, long[] word);
    }

    /** What the action says of the cell that was charged; false if it is gone, and with it what was charged. */
    private boolean onCell(Charge charge, Action action) {
        CountSeries in = registered(charge.limit()).series();
        String key = CountKey.bounded(charge.key());
        boolean done = onCell(in, key, action);
        if (charge.limit() instanceof Concurrency) {
            // What is held is found by its holder: no harm in looking where it is not.
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
        CountSeries in = series.computeIfAbsent(CountSeries.Id.of(limit), id -> new CountSeries(id.name(), id.shape()));
        return new RegisteredLimit(
                in, steady != null && limit instanceof TokenBucket bucket ? PackedBucket.of(bucket, steady) : null);
    }

    /**
     * The cell to decide an ask on. A look gets the cell as it is, which may have other numbers, see {@link #seenBy}. At a key
     * that is not known it gets a cell that nobody else will see, or the overflow cell that a charge would get.
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

    /** The cell of a key under a limit; an overflow cell where there is no room for it. */
    Cell cell(RegisteredLimit registered, Limit limit, String key, int position, boolean sweeps) {
        Cell cell = table.find(registered.series, key);
        if (cell == null) {
            cell = table.findOrAdd(registered.series, key, true, sweeps, () -> newCell(registered, limit, key));
        }
        if (cell == null) {
            cell = overflow(registered, limit, key, position);
        }
        return agreed(cell, registered, limit);
    }

    private Cell agreed(Cell cell, RegisteredLimit registered, Limit limit) {
        return disagrees(cell, registered) ? adopt((Cell.Bucket) cell, registered, limit) : cell;
    }

    /** Whether the word of the cell means something else than it would by the numbers of the limit. */
    private static boolean disagrees(Cell cell, RegisteredLimit registered) {
        return cell instanceof Cell.Bucket bucket && !bucket.packed.agreesWith(registered.packed);
    }

    /** What a look by other numbers sees of a cell that {@link #disagrees}: a copy, because a look changes nothing. */
    private static Cell seenBy(RegisteredLimit registered, Limit limit, Cell cell, long word, long now) {
        Cell.Bucket bucket = (Cell.Bucket) cell;
        return withNumbers(bucket, bucket.packed.state(word, now), registered, (TokenBucket) limit);
    }

    private Cell overflow(RegisteredLimit registered, Limit limit, String key, int position) {
        overflowed.increment();
        if (position >= positions.get()) {
            positions.accumulateAndGet(position + 1, Math::max);
        }
        // Different positions of a decision never share an overflow cell: a decision cannot lock one twice.
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
     * The numbers of the limit have changed: the words of its cells mean something else now. What was used stays, aged at the old
     * rate up to now, also if the ask is then refused: see {@link BucketState#at} and {@link BucketState#refused}.
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
