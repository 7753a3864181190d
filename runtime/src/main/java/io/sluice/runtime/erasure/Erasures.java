package io.sluice.runtime.erasure;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs the orders of a center to erase the data that this process stores about subjects. Thread-safe.
 *
 * <p>A center offers an order with each answer until it has the result. An order is performed once, on a separate thread. If a store
 * cannot finish, because Redis is unavailable or a recording is being written, the order is retried with each offer. The result is ready
 * when every store has finished, or after ten minutes; it then lists the data that is left. The result is reported for as long as the
 * order is offered.
 *
 * <p>The subject is in memory only while its order is performed. It is never written down: only the number of the order, a hash with a
 * secret of this process, and the result are remembered.
 */
public final class Erasures implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Erasures.class);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration NOTEWORTHY = Duration.ofMinutes(1);
    private static final int MOST_REMEMBERED = 1_000;

    private final Clock clock;
    private final KeySecret secret = KeySecret.random();
    private final ExecutorService thread;
    private volatile @Nullable Scope scope;

    // Guarded by this.
    private final Map<String, Work> works = new LinkedHashMap<>();
    private List<String> offered = List.of();

    /** The stores of this process, and the rules and keys by which a subject is found in them. */
    private record Scope(Supplier<RuleSet> rules, KeySettings keys, List<ErasableStore> stores) {}

    /** An order and its progress. Its fields are guarded by the erasures, except those that only the thread uses. */
    private static final class Work {

        final long id;
        final long sinceNanos;
        boolean running;
        List<String> unfinished = List.of();

        @Nullable
        ErasureResult result;

        // Used only by the thread.
        final BitSet done = new BitSet();
        final Map<String, Long> removed = new TreeMap<>();

        Work(long id, long sinceNanos) {
            this.id = id;
            this.sinceNanos = sinceNanos;
        }
    }

    /** Creates erasures that wait for {@link #over}. */
    public Erasures(Clock clock) {
        this.clock = clock;
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(ErasureOrder.MOST), task -> {
                    Thread worker = new Thread(task, "sluice-erasure");
                    worker.setDaemon(true);
                    return worker;
                });
        one.allowCoreThreadTimeOut(true);
        this.thread = one;
    }

    /**
     * Starts to perform orders. Earlier orders wait until then.
     *
     * @param rules the rules in force
     * @param keys the settings by which keys are built from callers
     */
    public void over(Supplier<RuleSet> rules, KeySettings keys, List<ErasableStore> stores) {
        scope = new Scope(rules, keys, List.copyOf(stores));
    }

    /** Takes the orders that the center offers now. Does not wait for their results. */
    public synchronized void offered(List<ErasureOrder> orders) {
        Scope in = scope;
        List<String> names = new ArrayList<>();
        for (ErasureOrder order : orders) {
            String name = order.id() + "-" + keyedHash(order.subject());
            names.add(name);
            if (in != null) {
                begin(order, works.computeIfAbsent(name, made -> new Work(order.id(), clock.nanoTime())), in);
            }
        }
        offered = names;
        for (var each = works.entrySet().iterator(); works.size() > MOST_REMEMBERED && each.hasNext(); ) {
            var eldest = each.next();
            if (!eldest.getValue().running && !names.contains(eldest.getKey())) {
                each.remove();
            }
        }
    }

    /** Returns the results of the orders that the center still offers. */
    public synchronized List<ErasureResult> results() {
        List<ErasureResult> results = new ArrayList<>();
        for (String name : offered) {
            Work work = works.get(name);
            if (work != null && work.result != null) {
                results.add(work.result);
            }
        }
        return results;
    }

    /** Returns the orders that cannot be finished, as sentences that do not name the subject. */
    public synchronized List<String> findings() {
        List<String> findings = new ArrayList<>();
        for (String name : offered) {
            Work work = works.get(name);
            if (work != null
                    && work.result == null
                    && !work.unfinished.isEmpty()
                    && clock.nanoTime() - work.sinceNanos >= NOTEWORTHY.toNanos()) {
                findings.add("erasure " + work.id + " is not finished: " + String.join("; ", work.unfinished));
            }
        }
        return findings;
    }

    /** Stops. A running order is not finished. */
    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void begin(ErasureOrder order, Work work, Scope in) {
        if (work.running || work.result != null) {
            return;
        }
        work.running = true;
        try {
            thread.execute(() -> perform(order, work, in));
        } catch (RejectedExecutionException e) {
            // The queue is full or closed. The order is offered again.
            work.running = false;
        }
    }

    private void perform(ErasureOrder order, Work work, Scope in) {
        Set<String> left = new LinkedHashSet<>();
        List<String> hashes = List.of();
        Set<String> unfinished = new LinkedHashSet<>();
        try {
            Subject subject = order.subject();
            SubjectKeys keys =
                    SubjectKeys.of(subject.attribute(), subject.value(), subject.known(), in.rules.get(), in.keys);
            hashes = keys.hashes();
            left.addAll(keys.unfound());
            String name = order.id() + "-" + shortHash(subject);
            for (int i = 0; i < in.stores.size(); i++) {
                if (!work.done.get(i)) {
                    attempt(in.stores.get(i), i, name, keys, work).ifPresent(unfinished::add);
                }
                left.addAll(in.stores.get(i).unsearchable());
            }
        } catch (IllegalArgumentException e) {
            // The message may show the subject.
            left.add("nothing was searched, because an attribute of the subject has no valid form");
        } catch (RuntimeException e) {
            unfinished.add("it failed with a " + e.getClass().getSimpleName());
        }
        settle(order, work, left, hashes, unfinished);
    }

    private static Optional<String> attempt(ErasableStore store, int place, String name, SubjectKeys keys, Work work) {
        Optional<String> why;
        try {
            ErasableStore.Attempt attempt = store.erase(name, keys);
            work.removed.merge(store.kind(), attempt.removed(), Long::sum);
            why = attempt.unfinished();
        } catch (IOException | RuntimeException e) {
            why = Optional.of("it failed with a " + e.getClass().getSimpleName());
        }
        if (why.isEmpty()) {
            work.done.set(place);
        }
        return why.map(text -> store.kind() + " may be left: " + text);
    }

    private synchronized void settle(
            ErasureOrder order, Work work, Set<String> left, List<String> hashes, Set<String> unfinished) {
        work.running = false;
        work.unfinished = List.copyOf(unfinished);
        if (!unfinished.isEmpty() && clock.nanoTime() - work.sinceNanos < LONGEST.toNanos()) {
            return;
        }
        List<String> all = new ArrayList<>(unfinished);
        all.addAll(left);
        work.result = new ErasureResult(work.id, work.removed, all, hashes);
        if (all.isEmpty()) {
            LOG.info("erasure {} of a {} is done; removed: {}", work.id, shown(order), work.removed);
        } else {
            LOG.warn(
                    "erasure {} of a {} is done as far as possible; removed: {}; left: {}",
                    work.id,
                    shown(order),
                    work.removed,
                    all);
        }
    }

    /** An attribute should be only a name, but it comes from outside. */
    private static String shown(ErasureOrder order) {
        String attribute = order.subject().attribute();
        return attribute.matches("[A-Za-z0-9_.-]{1,80}") ? attribute : "subject";
    }

    /** Distinguishes orders with the same number, which a center issues after it was restored from a backup. */
    private String keyedHash(Subject subject) {
        Mac mac = secret.mac();
        subject.known().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(each ->
                        mac.update((each.getKey() + "\0" + each.getValue() + "\0").getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(mac.doFinal(text(subject)));
    }

    /**
     * Returns the same hash in all processes, which use it to agree on the one that erases in Redis. Too short to identify the subject:
     * one of 65,536 values.
     */
    private static String shortHash(Subject subject) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text(subject)), 0, 2);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java runtime must provide it", e);
        }
    }

    private static byte[] text(Subject subject) {
        return (subject.attribute() + "\0" + subject.value()).getBytes(StandardCharsets.UTF_8);
    }
}
