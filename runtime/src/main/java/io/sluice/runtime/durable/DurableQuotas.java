package io.sluice.runtime.durable;

import io.sluice.core.spi.Engine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.erasure.ErasableStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps durable limits over the loss of the shared store. Thread-safe. Decisions never wait for it.
 *
 * <p>Each process sums up what it charges, appends changed sums to a journal every {@link #FLUSH}, and sends them to the center every
 * {@link #SEND}. A store has a mark as long as it has its data. If a process meets another mark than before, or one that nobody has
 * restored yet, durable limits follow their failure policy until
 *
 * <ol>
 *   <li>one process has charged the new store with the sums of the center, which fixes them at the first question, and
 *   <li>this process has charged what it had not sent until then.
 * </ol>
 *
 * <p>Both are charged once, whoever repeats them. Without a center a process restores its own sums only.
 *
 * <p><b>Why a broken connection stops durable limits until the mark is read again.</b> The connection may lead to another, empty store.
 * What is charged there before the mark is read would be restored on top of it.
 */
public final class DurableQuotas implements AutoCloseable, StoreMark {

    /** How often changed sums are written to disk. A process that is killed loses at most what it charged since. */
    public static final Duration FLUSH = Duration.ofMillis(100);

    /** How often changed sums are sent, and the mark of the store is read. */
    public static final Duration SEND = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(DurableQuotas.class);
    private static final String MARK = "durable-store";
    private static final String RESTORED = "durable-restored-";
    private static final String TURN = "durable-turn-";
    private static final String OTHER_TURN = "another node is restoring them";

    /** After this time others restore, too. */
    private static final Duration TURN_MAY_TAKE = Duration.ofSeconds(10);

    /** How soon a process that waits for another one looks again. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private static final Duration KEPT_AFTER_END = Duration.ofDays(1);
    /** How often all sums are sent: a center that was restored from a backup does not have them. */
    private static final Duration REPEAT = Duration.ofHours(1);

    /** How soon a journal that could not be written is tried again. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    private static final Duration CLOSING_MAY_TAKE = Duration.ofSeconds(3);
    private static final int SENT_AT_ONCE = 1_000;

    private final MarkedStore store;
    private final DurableLimits limits;
    private final DurableJournal journal;
    private final DurableSums sums;
    private final Optional<DurableLine> center;
    private final Clock clock;
    private final StoreRestore restore;
    private final Engine engine;
    private final ScheduledExecutorService writing = thread("sluice-durable-journal");
    private final ScheduledExecutorService asking = thread("sluice-durable");
    private final ScheduledExecutorService sending = thread("sluice-durable-center");

    /** Held while sums are sent, so that they arrive in order. */
    private final Object line = new Object();

    private final CompletableFuture<Void> firstCheck = new CompletableFuture<>();

    /** Held while the store is looked at and restored. The journal is written meanwhile. */
    private final Object looking = new Object();

    /** How often the store was lost. */
    private final AtomicLong outages = new AtomicLong();

    /** What the center does not have yet, by name. Guarded by itself. */
    private final Map<String, DurableSum> unsent = new LinkedHashMap<>();

    private volatile @Nullable String restored;
    private volatile @Nullable String problem;
    private volatile boolean writes = true;
    private volatile long failedNanos;

    /** Whether the current problem was logged. Guarded by {@code looking}, like the next three. */
    private boolean told;

    private boolean looksAgain;
    private @Nullable String awaited;
    private long awaitedNanos;

    /** When all sums were sent. Used by one thread. */
    private long repeatedNanos;

    private DurableQuotas(
            MarkedStore store,
            Supplier<RuleSet> rules,
            @Nullable Path folder,
            Optional<DurableLine> center,
            Clock clock,
            int most) {
        this.store = store;
        this.limits = new DurableLimits(rules);
        this.journal = DurableJournal.in(folder);
        this.sums = new DurableSums(journal.source(), most);
        this.center = center;
        this.clock = clock;
        this.repeatedNanos = clock.nanoTime();
        this.restore = new StoreRestore(store.engine());
        this.engine = new DurableEngine(store.engine(), limits, sums, this, clock);
        List<DurableSum> loaded = journal.takeLoaded();
        loaded.forEach(sums::load);
        unsent(loaded);
        compact();
    }

    /**
     * Reads the journal. Nothing runs yet.
     *
     * @param data the directory of the process; without one, the journal is in memory
     * @param center empty if there is none
     */
    public static DurableQuotas of(
            MarkedStore store,
            Supplier<RuleSet> rules,
            Optional<Path> data,
            Optional<DurableLine> center,
            Clock clock) {
        return of(store, rules, data, center, clock, DurableSums.MOST);
    }

    static DurableQuotas of(
            MarkedStore store,
            Supplier<RuleSet> rules,
            Optional<Path> data,
            Optional<DurableLine> center,
            Clock clock,
            int most) {
        Path folder = data.map(each -> each.resolve("durable")).orElse(null);
        return new DurableQuotas(store, rules, folder, center, clock, most);
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Returns the engine of the store, which notes what it charges to durable limits. */
    public Engine engine() {
        return engine;
    }

    /** Begins to write, to send and to watch the store. Completes after the first look at the store. */
    public CompletableFuture<Void> start() {
        var unused = writing.scheduleWithFixedDelay(
                () -> quietly(this::write), FLUSH.toMillis(), FLUSH.toMillis(), TimeUnit.MILLISECONDS);
        var unused2 =
                asking.scheduleWithFixedDelay(() -> quietly(this::check), 0, SEND.toMillis(), TimeUnit.MILLISECONDS);
        var unused3 = sending.scheduleWithFixedDelay(
                () -> quietly(this::tidy), SEND.toMillis(), SEND.toMillis(), TimeUnit.MILLISECONDS);
        return firstCheck.copy();
    }

    /** Must be called when the state of the store changes, before it decides again. */
    void storeChanged(boolean available) {
        if (available) {
            wake();
        } else {
            outages.incrementAndGet();
            restored = null;
        }
    }

    /** Returns what must be told when other rules are in force. */
    public RuleListener rules() {
        return new RuleListener() {
            @Override
            public void changed(RuleSet rules) {
                wake();
            }

            @Override
            public void refused(List<DocumentError> errors) {
                // The rules in force stay.
            }
        };
    }

    private void wake() {
        try {
            asking.execute(() -> quietly(this::check));
        } catch (RejectedExecutionException e) {
            // It is closed.
        }
    }

    @Override
    public @Nullable String restored() {
        return restored;
    }

    /** Returns whether durable limits decide: there are some, and the store has everything that earlier ones were charged. */
    public boolean isRestored() {
        return restored != null || !limits.exist();
    }

    /** Returns how many sums this process has. */
    public int size() {
        return sums.size();
    }

    /** Returns how many charges are not durable, because there are too many counts or the key is too long. */
    public long leftOut() {
        return sums.leftOut();
    }

    /** Returns how many sums the center does not have yet. */
    public int waiting() {
        synchronized (unsent) {
            return center.isPresent() ? unsent.size() : 0;
        }
    }

    /** Returns the problems, as sentences. */
    public List<String> findings() {
        List<String> all = new ArrayList<>();
        String why = problem;
        if (!isRestored() && why != null && store.isReady()) {
            all.add("durable limits are not restored, on_failure decides them: " + why);
        }
        if (!writes) {
            all.add("the journal of durable limits cannot be written");
        }
        if (sums.leftOut() > 0) {
            all.add("more than " + DurableSums.MOST + " durable counts, or keys of more than "
                    + DurableCount.LONGEST_KEY + " characters; the others are lost with the store");
        }
        return all;
    }

    /** Writes what has changed, but does not try all the time to write all sums to a disk that is full. */
    private void write() {
        if (writes || clock.nanoTime() - failedNanos > TRY_AGAIN.toNanos()) {
            flush();
        } else {
            unsent(sums.changed());
        }
    }

    /** Writes what has changed. When it returns, everything that was charged before is on disk, if that can be written. */
    synchronized void flush() {
        List<DurableSum> changed = sums.changed();
        unsent(changed);
        try {
            if (!writes || journal.isLarge()) {
                journal.replace(sums.all());
            } else {
                journal.append(changed);
            }
            written(null);
        } catch (IOException e) {
            written(e);
        }
    }

    /** Writes all sums, after the start or because some were not written. */
    private synchronized void compact() {
        try {
            journal.replace(sums.all());
            written(null);
        } catch (IOException e) {
            written(e);
        }
    }

    private void written(@Nullable IOException failure) {
        if (failure != null && writes) {
            LOG.warn(
                    "the journal of durable limits cannot be written, the sums are in memory only: {}",
                    failure.toString());
        }
        failedNanos = clock.nanoTime();
        writes = failure == null;
    }

    private void unsent(Collection<DurableSum> some) {
        if (center.isPresent()) {
            synchronized (unsent) {
                some.forEach(sum -> unsent.put(sum.ref(), sum));
            }
        }
    }

    /** Sends what has changed, and drops windows that ended long ago. */
    void tidy() {
        try {
            send();
        } catch (IOException e) {
            // What is unsent stays, and other parts log that the center is lost.
            LOG.debug("durable sums were not sent", e);
        }
        if (clock.nanoTime() - repeatedNanos > REPEAT.toNanos()) {
            repeatedNanos = clock.nanoTime();
            unsent(sums.all());
        }
        if (sums.removeEnded(clock.epochMicros() - TimeUnit.MICROSECONDS.convert(KEPT_AFTER_END)) > 0) {
            compact();
        }
    }

    /** Sends what the center does not have. */
    void send() throws IOException {
        if (center.isEmpty()) {
            return;
        }
        synchronized (line) {
            for (List<DurableSum> some = some(); !some.isEmpty(); some = some()) {
                center.get().send(some);
                synchronized (unsent) {
                    // A sum that has changed meanwhile is sent again.
                    some.forEach(sum -> unsent.remove(sum.ref(), sum));
                }
            }
        }
    }

    private List<DurableSum> some() {
        synchronized (unsent) {
            return unsent.values().stream().limit(SENT_AT_ONCE).toList();
        }
    }

    /** Looks which store this is, and restores it if that is necessary. */
    void check() {
        synchronized (looking) {
            look();
        }
    }

    private void checkAgain() {
        synchronized (looking) {
            looksAgain = false;
            look();
        }
    }

    private void look() {
        if (!limits.exist()) {
            firstCheck.complete(null);
            return;
        }
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
                    // The store may have been lost between the last two lines.
                    restored = outages.get() == seen ? mark : null;
                }
            }
            firstCheck.complete(null);
        } catch (IOException e) {
            failed(e);
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
        flush();
        List<DurableSum> fixed = null;
        if (center.isPresent()
                && StoreRestore.await(store.markOf(RESTORED + mark)).isEmpty()) {
            requireTurn(mark);
            send();
            fixed = center.get().earlierThan(mark);
            report(charge("restore:" + mark, totals(fixed), mark, seen), "which the center had from all nodes");
            byte[] unused = StoreRestore.await(store.mark(RESTORED + mark, bytes("1")));
        }
        if (!journal.isDone(mark)) {
            List<DurableSum> own =
                    sums.all().stream().filter(sum -> !sum.store().equals(mark)).toList();
            if (!own.isEmpty()) {
                if (fixed == null && center.isPresent()) {
                    fixed = center.get().earlierThan(mark);
                }
                for (String source :
                        own.stream().map(DurableSum::source).distinct().toList()) {
                    List<DurableSum> some = own.stream()
                            .filter(sum -> sum.source().equals(source))
                            .toList();
                    report(
                            charge("late:" + mark + ":" + source, without(some, fixed), mark, seen),
                            center.isPresent() ? "which this node had not sent yet" : "which this node had charged");
                }
            }
            done(mark);
        }
    }

    private StoreRestore.Result charge(String id, Map<DurableCount, Long> figures, String mark, long seen)
            throws IOException {
        return restore.charge(id, figures, () -> requireSame(mark, seen));
    }

    /** A store that was lost again gets the charges of another mark, so these ones would count in addition. */
    private void requireSame(String mark, long seen) throws IOException {
        Optional<byte[]> now = StoreRestore.await(store.markOf(MARK));
        if (outages.get() != seen || !now.map(DurableQuotas::text).equals(Optional.of(mark))) {
            throw new IOException("the store was lost again");
        }
    }

    /** The store has everything, even if the disk does not know it: the next attempt to write has all of it. */
    private synchronized void done(String mark) {
        try {
            journal.done(mark);
        } catch (IOException e) {
            written(e);
        }
    }

    /** One process restores. If it takes too long, others do the same: what is charged twice counts once. */
    private void requireTurn(String mark) throws IOException {
        String first = text(StoreRestore.await(store.mark(TURN + mark, bytes(journal.source()))));
        if (!mark.equals(awaited)) {
            awaited = mark;
            awaitedNanos = clock.nanoTime();
        }
        if (!journal.isOwn(first) && clock.nanoTime() - awaitedNanos < TURN_MAY_TAKE.toNanos()) {
            if (!looksAgain) {
                looksAgain = true;
                var unused = asking.schedule(() -> quietly(this::checkAgain), AGAIN.toMillis(), TimeUnit.MILLISECONDS);
            }
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

    /** Returns what own sums have more than the same sums of the center. */
    private static Map<DurableCount, Long> without(List<DurableSum> own, @Nullable List<DurableSum> fixed) {
        Map<String, Long> had = new HashMap<>();
        if (fixed != null) {
            fixed.forEach(sum -> had.put(sum.ref(), sum.used()));
        }
        Map<DurableCount, Long> more = new LinkedHashMap<>();
        own.forEach(sum -> more.merge(sum.count(), sum.used() - had.getOrDefault(sum.ref(), 0L), Long::sum));
        return more;
    }

    /** Returns what removes a subject from the sums of this process and of the center. */
    public ErasableStore erasable() {
        return new ErasableStore() {
            @Override
            public String kind() {
                return "counts";
            }

            @Override
            public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
                return DurableQuotas.this.erase(keys.match());
            }
        };
    }

    ErasableStore.Attempt erase(KeyMatch match) throws IOException {
        if (!limits.exist() && sums.size() == 0) {
            // Then no center has sums of these rules either.
            return ErasableStore.Attempt.done(0);
        }
        long count = eraseHere(match);
        if (center.isPresent()) {
            // Nothing that was taken before is sent afterwards.
            synchronized (line) {
                List<DurableSum> there = center.get().all().stream()
                        .filter(sum -> match.matches(sum.count().key()))
                        .toList();
                if (!there.isEmpty()) {
                    center.get().remove(there);
                    count = Math.max(count, there.size());
                }
            }
        }
        return ErasableStore.Attempt.done(count);
    }

    /** Removes a subject from memory and from the disk. The lock keeps what was taken before from being written afterwards. */
    private synchronized long eraseHere(KeyMatch match) throws IOException {
        List<DurableSum> removed = sums.remove(match);
        synchronized (unsent) {
            removed.forEach(sum -> unsent.remove(sum.ref()));
        }
        // A journal that could not be replaced last time still has what is no longer in memory.
        if (!removed.isEmpty() || !writes) {
            try {
                journal.replace(sums.all());
                written(null);
            } catch (IOException e) {
                written(e);
                throw e;
            }
        }
        return removed.size();
    }

    /** Writes and sends what has changed, but does not wait long for the center. */
    @Override
    public void close() {
        asking.shutdownNow();
        var unused = writing.submit(() -> quietly(this::flush));
        end(writing);
        var unused2 = sending.submit(() -> quietly(this::tidy));
        end(sending);
        ScheduledExecutorService last = thread("sluice-durable-journal");
        var unused3 = last.submit(() -> quietly(this::finish));
        end(last);
    }

    /** Waits, but not for ever: a disk or a center may hang. */
    private static void end(ExecutorService tasks) {
        tasks.shutdown();
        try {
            if (!tasks.awaitTermination(CLOSING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS)) {
                List<Runnable> unused = tasks.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void finish() {
        flush();
        try {
            if (writes) {
                journal.complete();
            }
        } catch (IOException e) {
            // The next run uses another source.
            LOG.debug("the journal of durable limits was not completed", e);
        }
        journal.close();
    }

    private static void quietly(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.warn("a task of durable limits failed", e);
        }
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
