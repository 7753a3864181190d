package io.sluice.core.internal;

import io.sluice.core.Concurrency;
import io.sluice.core.Limit;
import io.sluice.core.TokenBucket;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.Count;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.KeyDigest;
import io.sluice.core.spi.Verdict;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
public final class LocalCounts {

    private static final int LONGEST_KEY = 256;
    private static final String HASHED = "#sha256:";
    private static final String OVERFLOW = "#overflow:";
    private static final int OVERFLOW_COUNTS = 16;
    private static final int POSITIONS_SEARCHED = 32;
    private static final int LIMITS_KEPT = 200_000;

    private final ConcurrentHashMap<Limit, Filed> filed = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series.Id, Series> series = new ConcurrentHashMap<>();
    private final LongAdder overflowed = new LongAdder();
    private final CellTable table;
    private final LongSupplier micros;
    private final long origin;
    private final boolean steady;

    /**
     * No counts yet.
     *
     * @param micros the time, in microseconds since the epoch
     * @param steady whether that time never steps back
     * @param bound how many keys get a count of their own
     */
    public LocalCounts(LongSupplier micros, boolean steady, long bound) {
        this.micros = micros;
        this.steady = steady;
        this.origin = steady ? micros.getAsLong() : 0;
        this.table = new CellTable(micros, bound);
    }

    /** Where the counts of a limit are filed, and what its words mean if they have one. */
    record Filed(Series series, @Nullable Meter meter) {}

    /** How many counts are held. */
    public long size() {
        return table.size();
    }

    /** How many decisions were made on overflow counts. */
    public long overflowed() {
        return overflowed.sum();
    }

    long micros() {
        return micros.getAsLong();
    }

    /** Decides the ask. */
    public Decided decide(Ask ask) {
        List<Demand> demands = ask.demands();
        return demands.size() == 1 ? decideOne(ask, demands.get(0)) : decideAll(ask, demands);
    }

    private Decided decideOne(Ask ask, Demand demand) {
        Filed file = file(demand.limit());
        String key = bounded(demand.key());
        for (int spins = 0; ; spins++) {
            Cell cell = cell(file, demand.limit(), key, 0);
            boolean lockFree = cell instanceof Cell.Bucket;
            long word = lockFree ? cell.word() : cell.lock();
            if (word < 0) {
                Cell.pause(spins);
                continue;
            }
            long now = micros.getAsLong();
            long grant = cell.grant(demand, word, now);
            boolean charged = grant > 0 && ask.charges();
            if (lockFree && charged && !cell.replaceWord(word, cell.charge(demand, word, grant, now))) {
                continue;
            }
            Verdict verdict = cell.verdict(demand, word, grant, charged, now);
            if (!lockFree) {
                cell.unlock(settled(ask, cell, demand, word, grant, charged, now));
            }
            return new Decided(grant > 0, List.of(verdict), now, null);
        }
    }

    private Decided decideAll(Ask ask, List<Demand> demands) {
        Cell[] cells = new Cell[demands.size()];
        long[] words = new long[cells.length];
        for (int spins = 0; !lockAll(demands, cells, words); spins++) {
            Cell.pause(spins);
        }
        long now = micros.getAsLong();
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
            verdicts[i] = cells[i].verdict(demand, words[i], grants[i], charged, now);
            cells[i].unlock(settled(ask, cells[i], demand, words[i], grants[i], charged, now));
        }
        return new Decided(allowed, List.of(verdicts), now, null);
    }

    /** The word that the cell is left with. */
    private static long settled(Ask ask, Cell cell, Demand demand, long word, long grant, boolean charged, long now) {
        return charged ? cell.charge(demand, word, grant, now) : ask.charges() ? cell.refuse(word, now) : word;
    }

    /** Finds and locks the cells of all demands; false, with none locked, if one of them left the table meanwhile. */
    private boolean lockAll(List<Demand> demands, Cell[] cells, long[] words) {
        for (int i = 0; i < cells.length; i++) {
            Limit limit = demands.get(i).limit();
            cells[i] = cell(file(limit), limit, bounded(demands.get(i).key()), i);
        }
        int[] order = inOrder(cells);
        for (int n = 0; n < order.length; n++) {
            int i = order[n];
            words[i] = cells[i].lock();
            if (words[i] == Cell.DEAD) {
                for (int back = 0; back < n; back++) {
                    cells[order[back]].unlock(words[order[back]]);
                }
                return false;
            }
        }
        return true;
    }

    private static int[] inOrder(Cell[] cells) {
        int[] order = new int[cells.length];
        for (int i = 0; i < order.length; i++) {
            int at = i;
            while (at > 0 && Series.compare(cells[order[at - 1]], cells[i]) > 0) {
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
            cell.unlock(cell.giveBack(charge, word, micros.getAsLong()));
            return true;
        });
    }

    /** Renews a permit that is held; false if it is not. */
    public boolean renew(Charge charge) {
        return onCell(charge, (cell, word) -> {
            boolean renewed = cell.renew(charge, micros.getAsLong());
            cell.unlock(word);
            return renewed;
        });
    }

    private interface Action {
        /** Works on a locked cell, and unlocks it. */
        boolean on(Cell cell, long word);
    }

    /** What the action says of the cell that was charged; false if it is gone, and with it what was charged. */
    private boolean onCell(Charge charge, Action action) {
        Series in = file(charge.limit()).series();
        String key = bounded(charge.key());
        boolean done = onCell(in, key, action);
        if (charge.limit() instanceof Concurrency && overflowed.sum() > 0) {
            // What is held is found by its holder: no harm in looking where it is not.
            for (int position = 0; position < POSITIONS_SEARCHED; position++) {
                done |= onCell(in, overflowKey(in, key, position), action);
            }
        }
        return done;
    }

    private boolean onCell(Series in, String key, Action action) {
        for (Cell cell = table.find(in, key); cell != null; cell = table.find(in, key)) {
            long word = cell.lock();
            if (word != Cell.DEAD) {
                return action.on(cell, word);
            }
        }
        return false;
    }

    Filed file(Limit limit) {
        Filed known = filed.get(limit);
        if (known != null) {
            return known;
        }
        if (filed.size() > LIMITS_KEPT) {
            filed.clear();
        }
        return filed.computeIfAbsent(limit, this::newFile);
    }

    private Filed newFile(Limit limit) {
        Series in = series.computeIfAbsent(Series.Id.of(limit), id -> new Series(id.name(), id.shape()));
        return new Filed(in, steady && limit instanceof TokenBucket bucket ? Meter.of(bucket, origin) : null);
    }

    /** The cell of a key under a limit; an overflow cell where there is no room for it. */
    Cell cell(Filed file, Limit limit, String key, int position) {
        Cell cell = table.find(file.series, key);
        if (cell == null) {
            cell = table.findOrAdd(file.series, key, true, () -> newCell(file, limit, key));
        }
        if (cell == null) {
            cell = overflow(file, limit, key, position);
        }
        return cell instanceof Cell.Bucket bucket && !bucket.meter.agreesWith(file.meter)
                ? adopt(bucket, file, limit)
                : cell;
    }

    private Cell overflow(Filed file, Limit limit, String key, int position) {
        overflowed.increment();
        // Different positions of a decision never share an overflow cell: a decision cannot lock one twice.
        String shared = overflowKey(file.series, key, position);
        return Objects.requireNonNull(table.findOrAdd(file.series, shared, false, () -> newCell(file, limit, shared)));
    }

    private static String overflowKey(Series in, String key, int position) {
        return OVERFLOW + (in.hash(key) & (OVERFLOW_COUNTS - 1)) + ":" + position;
    }

    private static Cell newCell(Filed file, Limit limit, String key) {
        return file.meter == null
                ? new Cell.Other(file.series, key, Count.of(limit))
                : new Cell.Bucket(file.series, key, file.meter, Meter.UNUSED);
    }

    /** The numbers of the limit have changed: the words of its cells mean something else now. What was used stays. */
    private Cell adopt(Cell.Bucket bucket, Filed file, Limit limit) {
        long word = bucket.lock();
        if (word == Cell.DEAD) {
            return bucket;
        }
        TokenBucket next = (TokenBucket) limit;
        BucketState state = bucket.meter.state(word, micros.getAsLong());
        Cell adopted = file.meter == null || !file.meter.holds(state.used())
                ? new Cell.Other(file.series, bucket.key, Count.of(next, state))
                : new Cell.Bucket(
                        file.series, bucket.key, file.meter, file.meter.word(state.at(next.pace(), state.atMicros())));
        boolean replaced = table.replace(bucket, adopted);
        bucket.unlock(Cell.DEAD);
        return replaced ? adopted : bucket;
    }

    static String bounded(String key) {
        // A short key that looks like one of ours is hashed too, so that nobody can write himself another's key.
        return key.length() <= LONGEST_KEY && (key.isEmpty() || key.charAt(0) != '#')
                ? key
                : HASHED + KeyDigest.of(key);
    }
}
