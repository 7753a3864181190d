package io.sluice.runtime.caller;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.RefusedMinute;
import io.sluice.runtime.erasure.ErasableStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports the refused callers to the center each minute: masked texts and hashes in sketches, never an identity. Also counts the requests
 * of each tenant. Looks are not counted. Thread-safe.
 *
 * <p>A decision never waits. An allowed request costs a map lookup, and only if it names a tenant. A refused request is also put into a
 * bounded queue. A separate thread hashes the callers, remembers them for questions of the center, and feeds the sketches. Refusals that
 * find no room are counted as dropped.
 */
public final class RefusedCallers implements RulingListener, DataSource, ErasableStore, AutoCloseable {

    /** The maximum number of refusals that wait for the thread. */
    static final int MOST_WAITING = 16_384;

    /** The maximum number of characters of all waiting requests. */
    private static final long MOST_WAITING_CHARACTERS = 32_000_000;

    /** The number of waiting refusals at which the thread is woken. Below it, the thread checks after a pause. */
    private static final int MANY = 1_024;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long MINUTE_MICROS = TimeUnit.MINUTES.toMicros(1);
    private static final long NONE = Long.MIN_VALUE;
    private static final String TENANT = "tenant";

    /** The attributes that are also reported for the refusals of all rules together. */
    static final Set<String> ATTRIBUTES = Set.of("ip", "user", TENANT);

    private static final List<CallerSketches.Name> OF_ALL_RULES = ATTRIBUTES.stream()
            .map(each -> new CallerSketches.Name("", "", each))
            .toList();

    private final DataOutbox outbox;
    private final Supplier<RuleSet> rules;
    private final MarkMemory marks;
    private final KnownCallers known;
    private final Clock clock;
    private final CallbackFailures failures = new CallbackFailures("counting refused callers", RefusedCallers.class);

    private final Queue<Refusal> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicLong waitingCharacters = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final TenantCounts tenants = new TenantCounts();

    /** The last minute that has ended and has not been reported. */
    private final AtomicLong over = new AtomicLong(NONE);

    private final Thread worker;
    private volatile boolean started;
    private volatile boolean closed;

    /** The minute that is being counted; null if it has no refusals. Guarded by this. */
    private @Nullable CallerSketches sketches;

    /** The refusals of that minute. Guarded by this. */
    private long pending;

    /** @param limit the name of the limit in reports; null if the rule denied */
    private record Refusal(
            Attributes request,
            @Nullable Rule rule,
            @Nullable String limit,
            long minute,
            long characters) {

        /** The attributes identify the caller. */
        @Override
        public String toString() {
            return "Refusal(hidden)";
        }
    }

    /**
     * Creates a listener that reports nothing until {@link #start}.
     *
     * @param outbox takes a batch for each minute
     * @param rules the rules in force
     * @param settings the settings by which callers are hashed
     */
    public RefusedCallers(DataOutbox outbox, Supplier<RuleSet> rules, KeySettings settings, Clock clock) {
        this.outbox = outbox;
        this.rules = rules;
        this.marks = new MarkMemory(settings);
        this.known = new KnownCallers(settings, clock);
        this.clock = clock;
        this.worker = new Thread(this::work, "sluice-callers");
        worker.setDaemon(true);
    }

    /** Starts to report. Earlier rulings are ignored. */
    public void start() {
        started = true;
        worker.start();
        awaitEnd();
    }

    private void awaitEnd() {
        long now = clock.epochMicros();
        long left = MINUTE_MICROS - Math.floorMod(now, MINUTE_MICROS);
        long ending = Math.floorDiv(now, MINUTE_MICROS);
        clock.at(clock.nanoTime() + TimeUnit.MICROSECONDS.toNanos(left), () -> {
            if (!closed) {
                over.set(ending);
                LockSupport.unpark(worker);
                awaitEnd();
            }
        });
    }

    @Override
    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.looked() || !started) {
            return;
        }
        boolean allowed = ruling.allowed();
        String tenant = request.get(TENANT);
        if (tenant != null) {
            tenants.add(tenant, allowed);
        }
        if (!allowed) {
            refused(request, ruling);
        }
    }

    /** A ruling without its request does not identify a caller. */
    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {}

    /** The request is counted at its later ruling. */
    @Override
    public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {}

    private void refused(Attributes request, Ruling.Settled ruling) {
        int count = waitingCount.incrementAndGet();
        long characters = characters(request);
        if (waitingCharacters.addAndGet(characters) > MOST_WAITING_CHARACTERS || count > MOST_WAITING) {
            waitingCharacters.addAndGet(-characters);
            waitingCount.decrementAndGet();
            lost.incrementAndGet();
            return;
        }
        Ruling.Reported reported = ruling.reported();
        waiting.add(new Refusal(
                request,
                ruling.rule(),
                reported == null ? null : reported.id(),
                Math.floorDiv(clock.epochMicros(), MINUTE_MICROS),
                characters));
        if (count == MANY) {
            LockSupport.unpark(worker);
        }
    }

    private static long characters(Attributes request) {
        long sum = 0;
        for (String name : request.names()) {
            String value = request.get(name);
            sum += value == null ? 0 : value.length();
        }
        return sum;
    }

    private void work() {
        while (!closed) {
            try {
                take();
                long ended = over.getAndSet(NONE);
                if (ended != NONE) {
                    end(ended);
                }
            } catch (Throwable e) {
                failures.add(e);
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    /** Takes all waiting refusals. */
    private synchronized void take() {
        long dropped = lost.getAndSet(0) + tenants.takeLost();
        if (waitingCount.get() > 0) {
            RuleSet set = rules.get();
            marks.use(set);
            for (int left = waitingCount.get(); left > 0; left--) {
                Refusal next = waiting.poll();
                if (next == null) {
                    break;
                }
                waitingCount.decrementAndGet();
                waitingCharacters.addAndGet(-next.characters);
                try {
                    dropped += add(set, next);
                    pending++;
                } catch (RuntimeException e) {
                    failures.add(e);
                    dropped++;
                }
            }
        }
        if (dropped > 0) {
            outbox.dropped(Kind.CALLERS, dropped);
        }
        outbox.pending(Kind.CALLERS, pending);
    }

    /** Returns the number of groups that had no room. */
    private int add(RuleSet set, Refusal refusal) {
        CallerSketches into = sketchesOf(refusal.minute);
        Attributes request = refusal.request;
        Rule rule = refusal.rule;
        List<String> hashes = new ArrayList<>(ATTRIBUTES.size() + 1);
        Set<String> names = ATTRIBUTES;
        int dropped = 0;
        for (CallerSketches.Name each : OF_ALL_RULES) {
            Optional<CallerMark> mark = marks.of(set, each.attributes(), request);
            if (mark.isPresent()) {
                hashes.add(mark.get().hash());
                dropped += into.add(each, mark) ? 0 : 1;
            }
        }
        if (rule != null) {
            MarkMemory.Profile profile = marks.profile(rule, refusal.limit);
            names = profile.names();
            Optional<CallerMark> caller = marks.caller(set, rule, refusal.limit, request);
            dropped += into.add(profile.group(), caller) ? 0 : 1;
            if (caller.isPresent() && !hashes.contains(caller.get().hash())) {
                hashes.add(caller.get().hash());
            }
        }
        if (!hashes.isEmpty()) {
            known.add(hashes, request, names);
        }
        return dropped;
    }

    /** A late refusal counts for the minute that has started. */
    private CallerSketches sketchesOf(long minute) {
        CallerSketches now = sketches;
        if (now != null && now.minute() < minute) {
            tell(now.minute());
            now = null;
        }
        if (now == null) {
            now = new CallerSketches(minute);
            sketches = now;
        }
        return now;
    }

    private synchronized void end(long minute) {
        take();
        CallerSketches now = sketches;
        // If refusals of the next minute came first, this minute has already been reported.
        if (now == null || now.minute() != minute + 1) {
            tell(now == null ? minute : now.minute());
        }
        known.forgetOld();
    }

    private synchronized void tell(long minute) {
        CallerSketches now = sketches;
        sketches = null;
        pending = 0;
        List<RefusedMinute.Group> groups =
                now == null ? List.of() : now.most(count -> outbox.dropped(Kind.CALLERS, count));
        List<RefusedMinute.Tenant> counts = tenants();
        marks.forget();
        if (!groups.isEmpty() || !counts.isEmpty()) {
            outbox.add(Kind.CALLERS, new RefusedMinute(minute, groups, counts).toBytes());
        }
        outbox.pending(Kind.CALLERS, 0);
    }

    private List<RefusedMinute.Tenant> tenants() {
        Map<String, Figures> all = tenants.take();
        if (all.isEmpty()) {
            return List.of();
        }
        RuleSet set = rules.get();
        marks.use(set);
        List<RefusedMinute.Tenant> counts = new ArrayList<>(all.size());
        all.forEach((tenant, figures) -> marks.of(set, TENANT, Attributes.of(Map.of(TENANT, tenant)))
                .ifPresent(mark -> counts.add(new RefusedMinute.Tenant(mark, figures))));
        return counts;
    }

    /** Returns the last refused request of a caller; empty if this process does not know it. */
    Optional<KnownCallers.Known> find(String hash) {
        Optional<KnownCallers.Known> found = known.find(hash);
        if (found.isPresent()) {
            return found;
        }
        take();
        return known.find(hash);
    }

    @Override
    public synchronized void flush() {
        take();
        CallerSketches now = sketches;
        tell(now == null ? Math.floorDiv(clock.epochMicros(), MINUTE_MICROS) : now.minute());
    }

    @Override
    public String kind() {
        return known.kind();
    }

    /** Removes the subject from the known callers. Sketches do not identify a caller. */
    @Override
    public Attempt erase(String erasure, SubjectKeys keys) {
        take();
        return known.erase(erasure, keys);
    }

    /** Stops. Data that is not yet in the outbox is lost. */
    @Override
    public void close() {
        closed = true;
        started = false;
        LockSupport.unpark(worker);
    }
}
