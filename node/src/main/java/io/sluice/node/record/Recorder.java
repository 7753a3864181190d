package io.sluice.node.record;

import io.sluice.core.Decision;
import io.sluice.core.DecisionListener;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.time.Clock;
import io.sluice.history.HistoryFile;
import io.sluice.node.config.RecordingSettings;
import io.sluice.rules.caller.KeyMask;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.decisions.KeyNotes;
import io.sluice.runtime.participant.Recording;
import io.sluice.runtime.recording.ExcerptQuestion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the decisions of a node: every step on a count, for the history checker, and every request, for a replay. Thread-safe.
 *
 * <p>The deciding thread only adds to a bounded queue. It takes no lock and waits for no other thread. One thread masks and writes the
 * queued events. If there is no room, or the disk accepts no data, events are dropped and counted, and the recording marks the place
 * where they are missing.
 */
public final class Recorder implements Recording, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

    /** The maximum number of events and requests that wait to be written. */
    static final int CAPACITY = 65_536;

    private static final String LOCK = "recording.lock";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_MAY_TAKE_MILLIS = 60_000;
    private static final long ERASURE_WAITS_SECONDS = 60;

    private final RecordingSettings settings;
    private final Clock clock;
    private final FileChannel lock;
    private final String run =
            HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    private final RecordingQueue queue;
    private final Thread thread = new Thread(this::run, "sluice-recording");

    /** Set when the recording starts; written before the thread starts. */
    private @Nullable Writer writer;

    private volatile @Nullable RecordingFiles files;
    private volatile @Nullable CompletableFuture<Void> nextFiles;
    private volatile boolean closed;
    private String knownKey = "";
    private long keySince;

    private record Returning(Charge charge, long atMicros) {}

    private record Renewed(Charge charge, boolean held, long atMicros) {}

    private record Settled(Settlement settlement, long change, long atMicros) {}

    /** The parts that the thread uses. */
    private record Writer(RecordingFiles files, KeyMask mask, RequestLines lines, KeySettings keys) {}

    private Recorder(RecordingSettings settings, Clock clock, FileChannel lock, int capacity) {
        this.settings = settings;
        this.clock = clock;
        this.lock = lock;
        this.queue = new RecordingQueue(capacity);
        thread.setDaemon(true);
    }

    /**
     * Takes possession of a directory. Events are collected from now on and written after {@link #begin}.
     *
     * @throws IllegalArgumentException if the directory cannot be used, or another process uses it
     */
    public static Recorder open(RecordingSettings settings, Clock clock) {
        return open(settings, clock, CAPACITY);
    }

    static Recorder open(RecordingSettings settings, Clock clock, int capacity) {
        return new Recorder(settings, clock, locked(settings.directory()), capacity);
    }

    private static FileChannel locked(Path folder) {
        FileChannel channel;
        try {
            RecordingFiles.createFolder(folder);
            channel = FileChannel.open(
                    folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "record: " + folder + " (expected: a directory that this user may write to)", e);
        }
        try {
            FileLock held = channel.tryLock();
            if (held != null) {
                return channel;
            }
        } catch (IOException | OverlappingFileLockException e) {
            // Reported below.
        }
        closeQuietly(channel);
        throw new IllegalArgumentException(
                "record: " + folder + " is in use by another process (expected: a directory of this process alone)");
    }

    /** Starts to write. */
    public void begin(KeySettings keys) {
        KeyMask mask = new KeyMask(keys, settings.plain());
        HistoryFile.Names names = new HistoryFile.Names() {
            @Override
            public String count(String name) {
                return mask.count(name);
            }

            @Override
            public String key(String key) {
                return mask.key(key);
            }
        };
        RecordingFiles written = new RecordingFiles(settings, "node-" + run, run, names, clock);
        files = written;
        writer = new Writer(written, mask, new RequestLines(keys, mask), keys);
        learnKey(keys);
        thread.start();
    }

    @Override
    public HistoryListener history() {
        return queue::add;
    }

    @Override
    public DecisionListener decisions() {
        return (decision, elapsedNanos) -> queue.add(decision);
    }

    @Override
    public LocalEngine.ReturnListener returns() {
        return new LocalEngine.ReturnListener() {
            @Override
            public void returning(Charge charge) {
                queue.add(new Returning(charge, clock.epochMicros()));
            }

            @Override
            public void renewed(Charge charge, boolean held) {
                queue.add(new Renewed(charge, held, clock.epochMicros()));
            }

            @Override
            public void settled(Settlement settlement, long change, long atMicros) {
                queue.add(new Settled(settlement, change, atMicros));
            }
        };
    }

    @Override
    public RulingListener requests(Supplier<RuleSet> rules) {
        return new RulingListener() {
            @Override
            public void ruled(Ruling.Settled ruling, long elapsedNanos) {
                throw new UnsupportedOperationException("a ruling comes with its request");
            }

            @Override
            public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
                if (!ruling.looked()) {
                    queue.add(new RecordedRequest(clock.epochMicros(), request, ruling, rules.get()));
                }
            }

            /** The request is recorded at its later ruling. */
            @Override
            public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {}
        };
    }

    /** Returns the number of events and requests that were written. */
    public long recorded() {
        RecordingFiles written = files;
        return written == null ? 0 : written.recorded();
    }

    /** Returns the number of events and requests that are missing in the recording. */
    public long dropped() {
        RecordingFiles written = files;
        return queue.dropped() + (written == null ? 0 : written.lost());
    }

    /** Returns the newest requests of the recording. Reads files, so it may take seconds. */
    @Override
    public byte[] excerpt(ExcerptQuestion question) throws IOException {
        String key;
        long since;
        synchronized (this) {
            key = knownKey;
            since = keySince;
        }
        return new RequestExcerpt(question, TimeUnit.SECONDS.toMicros(since))
                .of(settings.directory(), clock.epochMicros(), dropped(), settings.plain(), key);
    }

    private void run() {
        Writer to = Objects.requireNonNull(writer);
        long ticked = clock.nanoTime() - TICK_NANOS;
        while (!closed) {
            boolean any = queue.drain(item -> write(item, to));
            queue.gap(to.files::gap);
            to.files.flush();
            CompletableFuture<Void> asked = nextFiles;
            if (asked != null) {
                nextFiles = null;
                to.files.next();
                asked.complete(null);
            }
            if (clock.nanoTime() - ticked >= TICK_NANOS) {
                ticked = clock.nanoTime();
                tick(to);
            }
            if (!any) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        boolean unused = queue.drain(item -> write(item, to));
        queue.gap(to.files::gap);
        to.files.end();
    }

    private void tick(Writer to) {
        if (to.mask.refresh()) {
            learnKey(to.keys);
            // Names that were made with another key cannot be compared with these.
            to.files.next();
        }
        to.files.tick();
    }

    private void write(Object item, Writer to) {
        try {
            if (item instanceof HistoryEvent event) {
                to.files.event(event);
            } else if (item instanceof Decision decision) {
                write(decision, to.files);
            } else if (item instanceof RecordedRequest request) {
                to.files.request(to.lines.line(request));
            } else if (item instanceof Returning back) {
                to.files.event(step(back.charge, true, back.atMicros, new StepEvent.GivenBack(back.charge)));
            } else if (item instanceof Renewed renewed) {
                to.files.event(step(
                        renewed.charge,
                        renewed.held,
                        renewed.atMicros,
                        new StepEvent.Renewed(renewed.charge, renewed.held)));
            } else if (item instanceof Settled settled) {
                Settlement settlement = settled.settlement;
                to.files.event(new StepEvent(
                        count(settlement.limit(), settlement.key()),
                        StepEvent.LOCAL,
                        0,
                        settled.change != 0,
                        settled.atMicros,
                        new StepEvent.Settled(settlement, settled.change)));
            }
        } catch (RuntimeException e) {
            LOG.warn("an event was not recorded, because it could not be described", e);
            to.files.gap(1);
        }
    }

    /** Only the first step names the decision, so that decisions can be counted. */
    private void write(Decision decision, RecordingFiles to) {
        if (!decision.ask().charges() || decision.degraded() != null) {
            return;
        }
        EngineDecision outcome = decision.outcome();
        List<Demand> demands = decision.ask().demands();
        for (int i = 0; i < outcome.verdicts().size(); i++) {
            Demand demand = demands.get(i);
            to.event(new StepEvent(
                    count(demand.limit(), demand.key()),
                    StepEvent.LOCAL,
                    0,
                    outcome.verdicts().get(i).granted() > 0,
                    outcome.atMicros(),
                    new StepEvent.Asked(
                            i == 0 ? "1" : "",
                            demand,
                            true,
                            decision.ruleVersion(),
                            outcome.verdicts().get(i))));
        }
    }

    private StepEvent step(Charge charge, boolean changed, long atMicros, StepEvent.Step step) {
        return new StepEvent(count(charge.limit(), charge.key()), StepEvent.LOCAL, 0, changed, atMicros, step);
    }

    /** Returns a name that no count of another run has. */
    private String count(Limit limit, String key) {
        return run + ":" + limit.name() + ":" + limit.shape() + ":" + key;
    }

    private synchronized void learnKey(KeySettings keys) {
        String mark = KeyNotes.mark(keys);
        if (!mark.equals(knownKey)) {
            knownKey = mark;
            long now = Math.floorDiv(clock.epochMicros(), TimeUnit.SECONDS.toMicros(1));
            try {
                keySince = KeyNotes.since(lock, mark, now);
            } catch (IOException e) {
                keySince = now;
                LOG.warn("{} cannot be written; erasures will find only what is recorded since this start", LOCK, e);
            }
        }
    }

    @Override
    public String kind() {
        return "recordings";
    }

    /** Starts new files, so that the current ones can also be searched. */
    @Override
    public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
        RecordingFiles written = files;
        if (written != null && thread.isAlive()) {
            CompletableFuture<Void> asked = new CompletableFuture<>();
            nextFiles = asked;
            try {
                asked.get(ERASURE_WAITS_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Attempt.unfinished(0, "the recording was not continued in new files");
            } catch (ExecutionException | TimeoutException e) {
                return Attempt.unfinished(
                        0, "the disk with the recording does not answer, or this machine is overloaded");
            }
        }
        return RecordingErasure.erase(
                settings.directory(), written == null ? null : written.current().orElse(null), keys);
    }

    @Override
    public synchronized List<String> unsearchable() {
        long before;
        try {
            before = RecordingFiles.files(settings.directory()).keySet().stream()
                    .filter(name -> name.begun() < keySince)
                    .count();
        } catch (IOException e) {
            return List.of("the recording cannot be read");
        }
        return before == 0
                ? List.of()
                : List.of("recordings from before " + Instant.ofEpochSecond(keySince)
                        + " have hashes of another key and cannot be searched; they go with the retention of the"
                        + " recording (files: " + before + ")");
    }

    /** Writes the events recorded so far, and ends the recording. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(LAST_MAY_TAKE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeQuietly(lock);
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("the lock of the recording was not released cleanly", e);
        }
    }
}
