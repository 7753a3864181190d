package io.sluice.runtime.decisions;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.erasure.ErasableStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs decisions: to files, to Kafka, and as a sample to the center. Looks are not logged. Thread-safe.
 *
 * <p>The deciding thread only samples the decision and adds it to a bounded queue. It takes no lock, waits for no other thread, and wakes
 * a thread only once when the queue grows. One thread describes the queued decisions, and each place has its own thread. If there is no
 * room anywhere on the way, decisions are dropped and counted.
 */
public final class DecisionRecorder implements RulingListener, DataSource, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DecisionRecorder.class);

    static final int MOST_QUEUED = 16_384;

    /** The maximum number of characters in the attributes of queued requests. */
    private static final long MOST_CHARACTERS = 32L << 20;

    private static final int WAKE_AT = 1_024;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);
    private static final long LAST_MAY_TAKE_MILLIS = 3_000;

    private final Supplier<RuleSet> rules;
    private final Clock clock;
    private final DecisionSampler sampler;
    private final DecisionEntries describing;
    private final List<PlaceQueue> places;
    private final @Nullable CenterSample sample;
    private final Optional<ErasableStore> erasable;

    private final ConcurrentLinkedQueue<Pending> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();
    private final Thread thread;
    private final Object describingLock = new Object();
    private volatile boolean telling;
    private volatile boolean closed;

    private record Pending(
            long atMicros,
            Attributes request,
            Ruling.Settled ruling,
            RuleSet set,
            boolean logged,
            boolean sampled,
            long characters) {}

    DecisionRecorder(
            DecisionSettings settings,
            List<PlaceQueue> places,
            Optional<DataOutbox> outbox,
            Optional<ErasableStore> erasable,
            Supplier<RuleSet> rules,
            KeySettings keys,
            Clock clock,
            DoubleSupplier random) {
        this.rules = rules;
        this.clock = clock;
        this.sampler = new DecisionSampler(settings.shares(), settings.rules(), random);
        this.describing = new DecisionEntries(keys);
        this.places = List.copyOf(places);
        this.sample = outbox.filter(each -> each.takes(Kind.DECISIONS))
                .map(each -> new CenterSample(each, sampler, settings.centerAllowedShare()))
                .orElse(null);
        this.erasable = erasable;
        this.thread = new Thread(this::run, "sluice-decisions");
        thread.setDaemon(true);
    }

    /**
     * Opens the places of the settings, and starts. Returns empty if there is neither a place for decisions nor a center.
     *
     * @param outbox takes the sample for the center
     * @param rules the rules in force
     * @throws IllegalArgumentException if the directory cannot be used, or another process uses it
     */
    public static Optional<DecisionRecorder> open(
            DecisionSettings settings,
            Optional<DataOutbox> outbox,
            Supplier<RuleSet> rules,
            KeySettings keys,
            Clock clock) {
        if (!settings.isLogging()
                && outbox.filter(each -> each.takes(Kind.DECISIONS)).isEmpty()) {
            return Optional.empty();
        }
        List<PlaceQueue> places = new ArrayList<>();
        Optional<ErasableStore> erasable = Optional.empty();
        if (settings.files().isPresent()) {
            PlaceCounts counts = new PlaceCounts("file");
            DecisionFiles files = DecisionFiles.open(settings.files().get(), clock, counts, keys);
            erasable = Optional.of(files);
            places.add(new PlaceQueue(files, counts));
        }
        if (settings.kafka().isPresent()) {
            PlaceCounts counts = new PlaceCounts("kafka");
            places.add(new PlaceQueue(new KafkaTopic(settings.kafka().get(), counts), counts));
        }
        DecisionRecorder recorder = new DecisionRecorder(
                settings, places, outbox, erasable, rules, keys, clock, () -> ThreadLocalRandom.current()
                        .nextDouble());
        recorder.start();
        return Optional.of(recorder);
    }

    void start() {
        places.forEach(PlaceQueue::start);
        thread.start();
        if (sample != null) {
            tellLater();
        }
    }

    /** Returns the number of decisions that reached each place. */
    public List<PlaceCounts> counts() {
        List<PlaceCounts> counts =
                new ArrayList<>(places.stream().map(PlaceQueue::counts).toList());
        if (sample != null) {
            counts.add(sample.counts());
        }
        return counts;
    }

    /** Returns the files, for erasures; empty if there are none. */
    public Optional<ErasableStore> erasable() {
        return erasable;
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        throw new UnsupportedOperationException("a ruling comes with its request");
    }

    @Override
    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.looked() || closed) {
            return;
        }
        boolean logged = false;
        if (!places.isEmpty()) {
            Rule rule = ruling.rule();
            logged = sampler.chooses(rule == null ? "" : rule.id(), ruling.allowed());
        }
        boolean sampled = sample != null && sample.chooses(ruling.allowed());
        if (!logged && !sampled) {
            return;
        }
        long nowMicros = clock.epochMicros();
        sampled = sampled && sample != null && sample.takes(ruling.allowed(), nowMicros);
        if (logged || sampled) {
            offer(new Pending(nowMicros, request, ruling, rules.get(), logged, sampled, characters(request)));
        }
    }

    /** The request is logged at its later ruling. */
    @Override
    public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {}

    private static long characters(Attributes request) {
        long sum = 0;
        for (String name : request.names()) {
            String value = request.get(name);
            sum += value == null ? 0 : value.length();
        }
        return sum;
    }

    private void offer(Pending pending) {
        int size = queued.incrementAndGet();
        if (size > MOST_QUEUED || characters.addAndGet(pending.characters) > MOST_CHARACTERS) {
            if (size <= MOST_QUEUED) {
                characters.addAndGet(-pending.characters);
            }
            queued.decrementAndGet();
            drop(pending);
            return;
        }
        queue.add(pending);
        if (size == WAKE_AT) {
            LockSupport.unpark(thread);
        }
    }

    private void drop(Pending pending) {
        if (pending.logged) {
            places.forEach(place -> place.counts().addDropped(1));
        }
        if (pending.sampled && sample != null) {
            sample.counts().addDropped(1);
        }
    }

    private void run() {
        while (!closed) {
            describeAll(false);
            if (queue.isEmpty() && !telling) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        describeAll(false);
    }

    /** Never blocks for long, because no place does. */
    private void describeAll(boolean thenTell) {
        synchronized (describingLock) {
            // Decisions that arrive during the loop wait for the next call, so that the sample reaches the center under
            // any load.
            for (int left = queued.get(); left > 0; left--) {
                Pending next = queue.poll();
                if (next == null) {
                    break;
                }
                queued.decrementAndGet();
                characters.addAndGet(-next.characters);
                describe(next);
            }
            if ((telling || thenTell) && sample != null) {
                telling = false;
                tell(sample);
            }
        }
    }

    private static void tell(CenterSample sample) {
        try {
            sample.tell();
        } catch (RuntimeException e) {
            LOG.warn("a sample of decisions did not reach the outbox", e);
        }
    }

    private void describe(Pending pending) {
        try {
            DecisionEntry entry = describing.of(
                    TimeUnit.MICROSECONDS.toMillis(pending.atMicros), pending.request, pending.ruling, pending.set);
            if (pending.sampled && sample != null) {
                sample.add(entry);
            }
            if (pending.logged) {
                byte[] line = (entry.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
                places.forEach(place -> place.add(line));
            }
        } catch (RuntimeException e) {
            drop(pending);
            LOG.warn("a decision was not logged, because it could not be described", e);
        }
    }

    private void tellLater() {
        long left = SECOND_MICROS - Math.floorMod(clock.epochMicros(), SECOND_MICROS);
        var unused = clock.at(clock.nanoTime() + TimeUnit.MICROSECONDS.toNanos(left), () -> {
            telling = true;
            LockSupport.unpark(thread);
            if (!closed) {
                tellLater();
            }
        });
    }

    /** Puts all chosen decisions into the outbox. */
    @Override
    public void flush() {
        describeAll(true);
    }

    /** Returns whether every chosen decision has reached its places or was dropped. */
    boolean isIdle() {
        synchronized (describingLock) {
            return queue.isEmpty() && places.stream().allMatch(PlaceQueue::isIdle);
        }
    }

    /** Stops when all chosen decisions are written, or after a short time. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(LAST_MAY_TAKE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        places.forEach(PlaceQueue::close);
    }
}
