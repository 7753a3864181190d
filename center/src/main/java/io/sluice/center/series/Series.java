package io.sluice.center.series;

import io.sluice.center.data.DataConsumer;
import io.sluice.center.data.SeriesView;
import io.sluice.center.data.StoredBatch;
import io.sluice.center.database.Database;
import io.sluice.center.series.SeriesRows.Kind;
import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.SecondCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The traffic of the fleet: each second of the last hour, each minute of two days, each hour of a year. Thread-safe.
 *
 * <p>Counts stay in memory, and in the journal, until their minute has ended. After that, a minute is a file for an hour. A
 * separate thread moves minutes into the database, so a slow database delays neither nodes nor decisions.
 */
public final class Series implements DataConsumer, SeriesView {

    private static final Logger LOG = LoggerFactory.getLogger(Series.class);

    /** Names of rules are shorter than this. */
    private static final int LONGEST_NAME = 300;

    /** The time between two attempts to use a failing database. */
    private static final long RETRY_MILLIS = 10_000;

    /** The time after which hours are rolled up even if no minute was written. */
    private static final long ROLL_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(20);

    private final Clock clock;
    private final SecondsRing ring;
    private final RollUp rollUp;
    private final SeriesReader reader;
    private final Executor executor;
    private final @Nullable ExecutorService owned;
    private final AtomicBoolean rolling = new AtomicBoolean();
    private final MinuteSums sums;
    private volatile @Nullable String problem;
    private volatile boolean due = true;
    private volatile long ranMillis;

    private Series(
            Clock clock,
            Database database,
            SecondsRing ring,
            String center,
            Executor executor,
            @Nullable ExecutorService owned) {
        this.clock = clock;
        this.ring = ring;
        this.rollUp = new RollUp(database, ring, center);
        this.reader = new SeriesReader(database, ring, center);
        this.sums = new MinuteSums(ring);
        this.executor = executor;
        this.owned = owned;
    }

    /**
     * Opens the series.
     *
     * @param folder the folder of the files
     * @throws IOException with one line for the user
     */
    public static Series open(Clock clock, Database database, Path folder) throws IOException {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "sluice-center-series");
            made.setDaemon(true);
            return made;
        });
        try {
            return open(clock, database, folder, thread, thread);
        } catch (IOException | RuntimeException e) {
            thread.shutdownNow();
            throw e;
        }
    }

    /** Opens series that write to the database on a given executor, for tests. */
    static Series open(Clock clock, Database database, Path folder, Executor executor) throws IOException {
        return open(clock, database, folder, executor, null);
    }

    private static Series open(
            Clock clock, Database database, Path folder, Executor executor, @Nullable ExecutorService owned)
            throws IOException {
        try {
            Files.createDirectories(folder);
            String center = center(folder);
            long since = clock.epochMicros() / 1_000_000 - TimeUnit.MINUTES.toSeconds(2L * SecondsRing.KEPT_UNSTORED);
            SecondsRing ring = SecondsRing.open(folder, RollUp.stored(database, center, since));
            return new Series(clock, database, ring, center, executor, owned);
        } catch (IOException e) {
            throw new IOException(folder + ": unusable: " + e.getMessage() + " (expected: a folder of this user)", e);
        }
    }

    /** Returns the name under which the database stores the figures of this folder. */
    private static String center(Path folder) throws IOException {
        Path file = folder.resolve("center-id");
        if (!Files.exists(file)) {
            Path part = folder.resolve("center-id" + Segment.UNFINISHED);
            Files.writeString(part, UUID.randomUUID().toString());
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        String id = Files.readString(file).strip();
        if (!id.matches("[0-9a-f-]{36}")) {
            throw new IOException(file.getFileName() + " is damaged");
        }
        return id;
    }

    @Override
    public DataBatch.Kind kind() {
        return DataBatch.Kind.COUNTS;
    }

    @Override
    public void take(StoredBatch batch) {
        SecondCounts counts = SecondCounts.of(batch.content());
        for (String rule : counts.rules().keySet()) {
            if (rule.length() > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        "rule: a name of " + rule.length() + " characters (expected: at most " + LONGEST_NAME + ")");
            }
        }
        long second = counts.second() + Math.floorDiv(batch.shiftMillis() + 500, 1_000L);
        ring.take(batch.position(), batch.node(), second, counts, clock.epochMicros() / 1_000);
    }

    @Override
    public void turn(long nowMillis) {
        due |= ring.turn(nowMillis);
        long waited = Math.abs(nowMillis - ranMillis);
        boolean isTime = due ? problem == null || waited >= RETRY_MILLIS : waited >= ROLL_MILLIS;
        if (isTime && rolling.compareAndSet(false, true)) {
            due = false;
            ranMillis = nowMillis;
            try {
                executor.execute(() -> {
                    try {
                        roll(nowMillis);
                    } finally {
                        rolling.set(false);
                    }
                });
            } catch (RejectedExecutionException e) {
                rolling.set(false);
            }
        }
    }

    private void roll(long nowMillis) {
        try {
            rollUp.run(nowMillis);
            problem = null;
        } catch (RuntimeException e) {
            due = true;
            String why = "figures of traffic cannot be written to the database: "
                    + String.valueOf(e.getMessage()).replaceAll("\\s+", " ")
                    + " (expected: a database that takes writes; files keep them for a day)";
            if (problem == null) {
                LOG.error(why);
            }
            problem = why;
        }
    }

    @Override
    public void close() {
        long now = clock.epochMicros() / 1_000;
        ring.close(now);
        if (owned == null) {
            roll(now);
            return;
        }
        owned.execute(() -> roll(now));
        owned.shutdown();
        try {
            if (!owned.awaitTermination(STOPPED_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                owned.shutdownNow();
            }
        } catch (InterruptedException e) {
            owned.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long needsFrom() {
        return ring.needsFrom();
    }

    @Override
    public Figures fleet(long from, long until) {
        return sums.sum(SeriesKey.FLEET_PART, SeriesKey.FLEET_PART + 1, from, until)
                .getOrDefault("", Figures.NONE);
    }

    @Override
    public Map<String, Figures> rules(long from, long until) {
        return sums.sum(SeriesKey.FIRST_RULES, SeriesKey.FIRST_NODES, from, until);
    }

    @Override
    public Map<String, Figures> nodes(long from, long until) {
        return sums.sum(SeriesKey.FIRST_NODES, SeriesKey.PARTS, from, until);
    }

    /**
     * Returns the points of the fleet that are not empty, by the second in which they start.
     *
     * @param from the start in seconds since 1970
     * @param until the end in seconds since 1970, exclusive
     */
    public NavigableMap<Long, SeriesSum> ofFleet(SeriesStep step, long from, long until) {
        return reader.points(SeriesKey.FLEET, step, from, until, now());
    }

    /** Returns the points of a rule. Requests that no rule matched have the empty name. */
    public NavigableMap<Long, SeriesSum> ofRule(String id, SeriesStep step, long from, long until) {
        return reader.points(SeriesKey.rule(id), step, from, until, now());
    }

    /** Returns the points of a node. */
    public NavigableMap<Long, SeriesSum> ofNode(String id, SeriesStep step, long from, long until) {
        return reader.points(SeriesKey.node(id), step, from, until, now());
    }

    /** Returns the totals of all rules with decisions. The time starts and ends with a step of at least a minute. */
    Map<String, RuleTotal> sumsByRule(SeriesStep step, long from, long until) {
        return reader.rules(step, from, until, now());
    }

    /** Returns whether a time span contains all data that nodes reported, as far as this center knows. */
    public boolean isComplete(SeriesStep step, long from, long until) {
        long fromMinute = Math.floorDiv(from, 60L);
        long untilMinute = Math.floorDiv(until - 1, 60L) + 1;
        if (step == SeriesStep.SECOND) {
            return from >= now() - step.kept().toSeconds()
                    && ring.isWhole(fromMinute, untilMinute, false)
                    && !reader.isElsewhere(from, until);
        }
        Kind kind = step == SeriesStep.MINUTE ? Kind.MINUTES : Kind.HOURS;
        return ring.isWhole(fromMinute, untilMinute, true)
                && (from >= now() - step.kept().toSeconds() || from >= reader.oldest(kind));
    }

    /** Returns the problem that prevents figures from being written. */
    public Optional<String> problem() {
        return ring.problem().or(() -> Optional.ofNullable(problem));
    }

    /** Returns the number of counts that were left out for any of the reasons below. */
    long leftOut() {
        return ring.late() + ring.ahead() + ring.crowded();
    }

    /** Returns the number of batches that were left out because they were too old. */
    public long late() {
        return ring.late();
    }

    /** Returns the number of batches that were left out because their time was in the future. */
    public long ahead() {
        return ring.ahead();
    }

    /** Returns the number of figures that were left out because too many rules or nodes were active in a minute. */
    public long crowded() {
        return ring.crowded();
    }

    /** Returns the number of minutes of the last hour that cannot be read. */
    public int damaged() {
        return ring.damagedMinutes();
    }

    private long now() {
        return clock.epochMicros() / 1_000_000;
    }
}
