package io.sluice.center.data;

import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.fleet.NodeReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the data of nodes: stores each batch once in a journal, and passes it to the consumer of its kind. A repeated batch is recognized
 * by its number. Thread-safe.
 */
public final class DataIntake implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DataIntake.class);

    /** Clocks that differ by less than this count as equal. */
    private static final long CLOCKS_DIFFER_MILLIS = 2_000;

    private static final Duration ROLL = Duration.ofMinutes(1);
    private static final long MOST_WRITTEN = 64_000_000;
    private static final Duration SILENT = Duration.ofDays(1);

    private final Clock clock;
    private final Map<Kind, DataConsumer> consumers = new EnumMap<>(Kind.class);
    private final DataJournal journal;

    private final List<Consumer<StoredBatch>> listeners = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private final Map<String, Missing> missing = new HashMap<>();

    /** The number of items that are missing from processes that were replaced by another process. */
    private final Map<Kind, Long> lost = new EnumMap<>(Kind.class);

    private long damaged;
    private long missed;
    private long rolledNanos;
    private @Nullable String problem;
    private boolean closed;

    /**
     * The last counts of a process.
     *
     * @param pending the number of items that the process had not put into a batch yet
     */
    private record Missing(long startedMillis, Map<Kind, Long> dropped, Map<Kind, Long> pending) {

        void addTo(Map<Kind, Long> sum, boolean isGone) {
            dropped.forEach((kind, count) -> sum.merge(kind, count, Long::sum));
            if (isGone) {
                pending.forEach((kind, count) -> sum.merge(kind, count, Long::sum));
            }
        }
    }

    private DataIntake(Clock clock, List<DataConsumer> consumers, Path folder) throws IOException {
        this.clock = clock;
        consumers.forEach(each -> this.consumers.put(each.kind(), each));
        this.journal = DataJournal.open(folder, clock.epochMicros(), this::give);
        this.rolledNanos = clock.nanoTime();
    }

    /**
     * Opens the intake, and gives the consumers all batches that they had not written.
     *
     * @param folder the folder of the journal
     * @throws IOException if the folder cannot be used; the message is one line for the user
     */
    public static DataIntake open(Clock clock, List<DataConsumer> consumers, Path folder) throws IOException {
        try {
            return new DataIntake(clock, consumers, folder);
        } catch (IOException e) {
            consumers.forEach(DataConsumer::close);
            throw new IOException(folder + ": unusable: " + e.getMessage() + " (expected: a folder of this user)", e);
        }
    }

    /** Takes the data in a report. Returns the number of the last stored batch; empty if the report has no data. */
    public synchronized OptionalLong take(NodeReport report) {
        Optional<DataReport> data = report.data().traffic();
        if (data.isEmpty() || closed) {
            return OptionalLong.empty();
        }
        long now = clock.epochMicros() / 1_000;
        long shift = now - data.get().sentMillis();
        shift = Math.abs(shift) <= CLOCKS_DIFFER_MILLIS ? 0 : shift;
        long last = journal.last(report.node(), report.identity().startedMillis());
        try {
            for (DataBatch batch : data.get().batches()) {
                if (batch.number() > last) {
                    // Nothing is known about a node that reported elsewhere before.
                    missed += last == 0 ? 0 : batch.number() - last - 1;
                    StoredBatch stored = new StoredBatch(
                            journal.next(),
                            report.node(),
                            report.identity().startedMillis(),
                            batch.number(),
                            batch.kind(),
                            shift,
                            batch.content());
                    journal.add(stored, now);
                    last = batch.number();
                    give(stored);
                    listeners.forEach(each -> tell(each, stored));
                }
            }
            problem = null;
        } catch (IOException e) {
            fail(e);
        }
        Missing before = missing.put(
                report.node(),
                new Missing(
                        report.identity().startedMillis(),
                        data.get().dropped(),
                        data.get().pending()));
        if (before != null && before.startedMillis() != report.identity().startedMillis()) {
            before.addTo(lost, true);
        }
        return OptionalLong.of(last);
    }

    private void give(StoredBatch batch) {
        DataConsumer consumer = consumers.get(batch.kind());
        if (consumer == null) {
            return;
        }
        try {
            consumer.take(batch);
        } catch (RuntimeException e) {
            // Any failure is counted, because the batch is in the journal and must not prevent the center from
            // starting.
            damaged++;
            LOG.debug("data of node {} cannot be read: {}", batch.node(), e.getMessage());
        }
    }

    private static void tell(Consumer<StoredBatch> listener, StoredBatch batch) {
        try {
            listener.accept(batch);
        } catch (RuntimeException e) {
            LOG.debug("data of node {} cannot be shown: {}", batch.node(), e.getMessage());
        }
    }

    /**
     * Adds a listener for batches that arrive from now on. It is called with one batch at a time and must be fast. Batches of the journal
     * are not delivered to listeners.
     */
    public void listen(Consumer<StoredBatch> listener) {
        listeners.add(listener);
    }

    /** Lets consumers write the data that is due. Called about once a second. */
    public synchronized void turn() {
        if (closed) {
            return;
        }
        long now = clock.epochMicros() / 1_000;
        consumers.values().forEach(each -> each.turn(now));
        if (clock.nanoTime() - rolledNanos >= ROLL.toNanos() || journal.written() > MOST_WRITTEN) {
            roll(now);
        }
    }

    private void roll(long now) {
        rolledNanos = clock.nanoTime();
        long needed = consumers.values().stream()
                .mapToLong(DataConsumer::needsFrom)
                .min()
                .orElse(Long.MAX_VALUE);
        try {
            journal.roll(Math.min(needed, journal.next()), now - SILENT.toMillis());
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException e) {
        String why = "the data of nodes cannot be stored: " + e.getMessage()
                + " (expected: free space in the data directory; nodes keep their data for some minutes)";
        if (problem == null) {
            LOG.error(why);
        }
        problem = why;
    }

    /** Returns the reason why data cannot be stored; empty if it can. */
    public synchronized Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /**
     * Returns the number of items that are missing since this center started, by kind: items that nodes had no room for, and items that
     * killed nodes had not sent.
     *
     * @param isGone whether the node with an id is silent. If it returns, it sends its items
     */
    public synchronized Map<Kind, Long> dropped(Predicate<String> isGone) {
        Map<Kind, Long> sum = new EnumMap<>(Kind.class);
        sum.putAll(lost);
        missing.forEach((node, each) -> each.addTo(sum, isGone.test(node)));
        return sum;
    }

    /** Returns the number of received batches that could not be read. */
    public synchronized long damaged() {
        return damaged;
    }

    /** Returns the number of batches that never arrived, although later batches did. */
    public synchronized long missed() {
        return missed;
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        consumers.values().forEach(DataConsumer::close);
        journal.close();
    }
}
