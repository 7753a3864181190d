package io.sluice.runtime.durable;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identifies the store by its mark, and restores the store if it has lost its data. Thread-safe.
 *
 * <p><b>Why a broken connection stops durable limits until the mark is read again.</b> The connection may lead to another, empty store.
 * Charges to that store before the mark is read would be counted again by the restoration.
 */
final class StoreRecovery implements StoreMark {

    private static final Logger LOG = LoggerFactory.getLogger(StoreRecovery.class);
    private static final String MARK = "durable-store";
    private static final String RESTORED = "durable-restored-";
    private static final String TURN = "durable-turn-";
    private static final String OTHER_TURN = "another node is restoring them";

    /** The time after which other processes also restore the store. */
    private static final Duration TURN_MAY_TAKE = Duration.ofSeconds(10);

    private final MarkedStore store;
    private final DurableSums sums;
    private final DurableJournal journal;
    private final SumSender sender;
    private final StoreTime time;
    private final Clock clock;
    private final StoreRestore restore;

    /** The number of times the store was lost. */
    private final AtomicLong outages = new AtomicLong();

    private volatile @Nullable String restored;
    private volatile @Nullable String problem;

    /** True if the current problem was logged. Guarded by this, like the next two fields. */
    private boolean told;

    /** The store that was charged with late sums, and the sources of these sums. They must not be repeated after a day. Guarded by this. */
    private @Nullable String lateStore;

    private final Set<String> lateSources = new HashSet<>();

    private @Nullable String awaited;
    private long awaitedNanos;

    StoreRecovery(
            MarkedStore store,
            DurableSums sums,
            DurableJournal journal,
            SumSender sender,
            StoreTime time,
            Clock clock) {
        this.store = store;
        this.sums = sums;
        this.journal = journal;
        this.sender = sender;
        this.time = time;
        this.clock = clock;
        this.restore = new StoreRestore(store.engine());
    }

    @Override
    public @Nullable String restored() {
        return restored;
    }

    /** Returns the reason why durable limits do not decide; null if they do, or if the store is unavailable. */
    @Nullable
    String problem() {
        return restored == null && store.isReady() ? problem : null;
    }

    /** Returns whether another process is restoring the store, so that it is ready soon. */
    boolean awaitsOther() {
        return OTHER_TURN.equals(problem());
    }

    /** Must be called when the store is lost, before it decides again. Never waits. */
    void lost() {
        outages.incrementAndGet();
        restored = null;
    }

    /** Reads the mark of the store, and restores the store if necessary. Returns whether the store answered and has all charges. Blocks. */
    synchronized boolean look() {
        long seen = outages.get();
        try {
            String mark = text(StoreRestore.await(store.mark(MARK, bytes(newMark()))));
            if (!DurableSum.isName(mark)) {
                throw new IOException("the mark of the store is unreadable");
            }
            if (!mark.equals(restored)) {
                restored = null;
                restore(mark, seen);
                problem = null;
                told = false;
                if (outages.get() == seen) {
                    restored = mark;
                    // The store may have been lost between the check and the assignment.
                    restored = outages.get() == seen ? mark : null;
                }
            } else {
                // The journal may have been read since the last call.
                restoreOwnOnce(mark, seen, null);
            }
            return true;
        } catch (IOException e) {
            failed(e);
            return false;
        } catch (RuntimeException e) {
            // Unexpected, but findings must report why durable limits do not decide.
            failed(new IOException(e.toString(), e));
            return false;
        }
    }

    /** Reads the time of the store if the ends of windows matter and no recent decision has brought it. Blocks. */
    void askTime() {
        Optional<DurableCount> some = time.isOld() && store.isReady() ? sums.anyCount() : Optional.empty();
        if (some.isPresent()) {
            try {
                time.saw(restore.timeOf(some.get()));
            } catch (IOException e) {
                LOG.debug("the store does not tell its time", e);
            }
        }
    }

    private void failed(IOException e) {
        problem = e.getMessage();
        if (!told && store.isReady() && !OTHER_TURN.equals(problem)) {
            told = true;
            LOG.warn("durable limits are not restored, on_failure decides them: {}", e.getMessage());
        }
    }

    private void restore(String mark, long seen) throws IOException {
        List<DurableSum> fixed = null;
        if (sender.hasCenter()
                && StoreRestore.await(store.markOf(RESTORED + mark)).isEmpty()) {
            requireTurn(mark);
            sender.send();
            fixed = sender.earlierThan(mark);
            report(charge("restore:" + mark, totals(fixed), mark, seen), "which the center had from all nodes");
            byte[] unused = StoreRestore.await(store.mark(RESTORED + mark, bytes("1")));
        }
        restoreOwnOnce(mark, seen, fixed);
    }

    private void restoreOwnOnce(String mark, long seen, @Nullable List<DurableSum> known) throws IOException {
        int openings = journal.openings();
        if (!journal.isDone(mark)) {
            restoreOwn(mark, seen, known);
            journal.done(mark, openings);
        }
    }

    /** Charges the sums that this process had not sent before the store was lost: all sums if there is no center. */
    private void restoreOwn(String mark, long seen, @Nullable List<DurableSum> known) throws IOException {
        if (!mark.equals(lateStore)) {
            lateStore = mark;
            lateSources.clear();
        }
        Map<String, List<DurableSum>> own = sums.all().stream()
                .filter(sum -> !sum.store().equals(mark) && !lateSources.contains(sum.source()))
                .collect(Collectors.groupingBy(DurableSum::source));
        if (!own.isEmpty()) {
            List<DurableSum> fixed = known == null ? sender.earlierThan(mark) : known;
            for (Map.Entry<String, List<DurableSum>> each : own.entrySet()) {
                report(
                        charge("late:" + mark + ":" + each.getKey(), without(each.getValue(), fixed), mark, seen),
                        sender.hasCenter() ? "which this node had not sent yet" : "which this node had charged");
                lateSources.add(each.getKey());
            }
        }
        // New charges go to this store.
        lateSources.add(journal.source());
    }

    private StoreRestore.Result charge(String id, Map<DurableCount, Long> figures, String mark, long seen)
            throws IOException {
        return restore.charge(id, figures, () -> requireSame(mark, seen));
    }

    /** A store that was lost again is charged under another mark, so charges under this mark would count in addition. */
    private void requireSame(String mark, long seen) throws IOException {
        Optional<byte[]> now = StoreRestore.await(store.markOf(MARK));
        if (outages.get() != seen || !now.map(StoreRecovery::text).equals(Optional.of(mark))) {
            throw new IOException("the store was lost again");
        }
    }

    /** Lets one process restore. If it takes too long, other processes also restore: repeated charges count once. */
    private void requireTurn(String mark) throws IOException {
        String first = text(StoreRestore.await(store.mark(TURN + mark, bytes(journal.source()))));
        if (!mark.equals(awaited)) {
            awaited = mark;
            awaitedNanos = clock.nanoTime();
        }
        if (!journal.isOwn(first) && clock.nanoTime() - awaitedNanos < TURN_MAY_TAKE.toNanos()) {
            throw new IOException(OTHER_TURN);
        }
    }

    private static void report(StoreRestore.Result result, String whose) {
        if (result.counts() > 0) {
            LOG.info(
                    "Redis had lost its data; {} permits of {} durable counts are charged again, {}",
                    result.permits(),
                    result.counts(),
                    whose);
        }
        if (result.left() > 0) {
            LOG.warn("{} durable counts could not be restored; they begin anew", result.left());
        }
    }

    private static Map<DurableCount, Long> totals(List<DurableSum> all) {
        Map<DurableCount, Long> totals = new LinkedHashMap<>();
        all.forEach(sum -> totals.merge(sum.count(), sum.used(), Long::sum));
        return totals;
    }

    /** Returns the permits by which own sums exceed the same sums of the center. */
    private static Map<DurableCount, Long> without(List<DurableSum> own, List<DurableSum> fixed) {
        Map<String, Long> had = new HashMap<>();
        fixed.forEach(sum -> had.put(sum.ref(), sum.used()));
        Map<DurableCount, Long> more = new LinkedHashMap<>();
        own.forEach(sum -> more.merge(sum.count(), sum.used() - had.getOrDefault(sum.ref(), 0L), Long::sum));
        return more;
    }

    private static String newMark() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 24);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
