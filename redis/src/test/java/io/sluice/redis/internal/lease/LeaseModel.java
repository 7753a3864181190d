package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The store as the lease design describes it, on the algorithms of core: counts, records of leases, and an engine that decides on
 * the same counts. Answers come at once, late, or never, and requests may be lost. Thread-safe.
 */
public final class LeaseModel implements LeaseStore {

    /** What happens to a call. */
    enum Mood {
        ANSWERS,
        /** Decided at once; the answer comes with {@link #deliver}. */
        LATE,
        LOSES_ANSWER,
        LOSES_QUESTION,
        /** Fails at once, and the caller knows. */
        FAILS
    }

    private record CountId(String name, String shape, String key) {}

    private record Lease(Limit limit, String key, long permits, long chargedAtMicros, long endMicros) {}

    private static final class Counted {
        final Count count;
        final Map<String, Lease> leases = new LinkedHashMap<>();

        Counted(Limit limit) {
            this.count = Count.of(limit);
        }
    }

    private final LongSupplier micros;
    private final Consumer<Runnable> wire;
    private final Map<CountId, Counted> counts = new HashMap<>();
    private final ArrayDeque<Runnable> late = new ArrayDeque<>();
    private Mood mood = Mood.ANSWERS;

    /** The requests that it received. */
    final List<LeaseRequest> requests = new ArrayList<>();

    final List<EndedLease> ended = new ArrayList<>();
    final List<Ask> asks = new ArrayList<>();
    final List<Charge> givenBack = new ArrayList<>();
    long calls;
    long granted;
    long returned;
    boolean keepsAsks = true;

    /**
     * Creates a store.
     *
     * @param wire carries what is sent, in both directions
     */
    public LeaseModel(LongSupplier micros, Consumer<Runnable> wire) {
        this.micros = micros;
        this.wire = wire;
    }

    synchronized void setMood(Mood mood) {
        this.mood = mood;
    }

    void deliver() {
        for (Runnable answer = nextLate(); answer != null; answer = nextLate()) {
            answer.run();
        }
    }

    /** Delivers the late answers, the last one first. */
    void deliverReversed() {
        List<Runnable> all = new ArrayList<>();
        for (Runnable answer = nextLate(); answer != null; answer = nextLate()) {
            all.add(0, answer);
        }
        all.forEach(Runnable::run);
    }

    private synchronized @org.jspecify.annotations.Nullable Runnable nextLate() {
        return late.poll();
    }

    @Override
    public CompletionStage<LeaseReply> request(LeaseRequest request) {
        synchronized (this) {
            requests.add(request);
        }
        return call(() -> grant(request), new LeaseReply.Unknown("model-fails", false));
    }

    @Override
    public CompletionStage<Void> end(Limit limit, String key, List<EndedLease> ends) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletionStage<Boolean> told = call(
                () -> {
                    endNow(limit, key, ends);
                    return true;
                },
                false);
        told.thenAccept(known -> {
            if (known) {
                done.complete(null);
            } else {
                done.completeExceptionally(new IllegalStateException("model-fails"));
            }
        });
        return done;
    }

    /** All calls go through here. */
    private <T> CompletionStage<T> call(Supplier<T> step, T failure) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Mood now;
        synchronized (this) {
            calls++;
            now = mood;
        }
        switch (now) {
            case ANSWERS ->
                wire.accept(() -> {
                    T result = step.get();
                    wire.accept(() -> answer.complete(result));
                });
            case LATE -> {
                T result = step.get();
                synchronized (this) {
                    late.add(() -> answer.complete(result));
                }
            }
            case LOSES_ANSWER -> {
                T unused = step.get();
            }
            case LOSES_QUESTION -> {}
            case FAILS -> answer.complete(failure);
        }
        return answer;
    }

    private synchronized LeaseReply grant(LeaseRequest request) {
        long now = micros.getAsLong();
        Limit limit = request.limit();
        endNow(limit, request.key(), request.ended());
        Counted counted = counted(limit, request.key());
        long out = outstanding(counted, now);
        long room = request.cap() - out;
        Demand one = Demand.of(limit, request.key(), 1);
        if (room < request.atLeast()) {
            long grant = counted.count.grant(one, now);
            Verdict verdict = counted.count.verdict(one, grant, false, now);
            return new LeaseReply.Refused(true, verdict.remaining(), 0, verdict.resetAfterMicros(), now);
        }
        long most = Math.min(request.wanted(), Math.max(request.atLeast(), (room + 1) / 2));
        Demand demand = Demand.of(limit, request.key(), most)
                .orAtLeast(request.atLeast())
                .waitingUpTo(request.maxWaitMicros());
        long grant = counted.count.grant(demand, now);
        Verdict verdict = counted.count.verdict(demand, grant, grant > 0, now);
        if (grant == 0) {
            counted.count.refuse(now);
            return new LeaseReply.Refused(
                    false, verdict.remaining(), verdict.retryAfterMicros(), verdict.resetAfterMicros(), now);
        }
        counted.count.charge(demand, grant, now);
        long end = now + request.ttlMicros();
        if (limit instanceof FixedWindow window) {
            end = Math.min(end, window.windows().at(verdict.chargedAtMicros()).endMicros());
        }
        Lease before = counted.leases.put(
                request.lease(), new Lease(limit, request.key(), grant, verdict.chargedAtMicros(), end));
        assertThat(before).as("leases have names of their own").isNull();
        assertThat(outstanding(counted, now)).isLessThanOrEqualTo(request.cap());
        granted += grant;
        return new LeaseReply.Granted(
                grant,
                end - now,
                verdict.waitMicros(),
                verdict.remaining(),
                verdict.resetAfterMicros(),
                verdict.chargedAtMicros(),
                now);
    }

    private synchronized void endNow(Limit limit, String key, List<EndedLease> ends) {
        Counted counted = counted(limit, key);
        long now = micros.getAsLong();
        for (EndedLease end : ends) {
            ended.add(end);
            Lease lease = counted.leases.remove(end.lease());
            if (lease == null) {
                continue;
            }
            long unspent = lease.permits - end.spent();
            assertThat(end.spent()).isBetween(0L, lease.permits);
            if (unspent > 0) {
                returned += unspent;
                counted.count.giveBack(new Charge(limit, key, unspent, lease.chargedAtMicros, ""), now);
            }
        }
    }

    private static long outstanding(Counted counted, long nowMicros) {
        return counted.leases.values().stream()
                .filter(lease -> lease.endMicros > nowMicros)
                .mapToLong(Lease::permits)
                .sum();
    }

    private Counted counted(Limit limit, String key) {
        return counts.computeIfAbsent(new CountId(limit.name(), limit.shape(), key), id -> new Counted(limit));
    }

    /** Returns how many permits are out on leases, according to the records. */
    synchronized long outstanding(Limit limit, String key) {
        return outstanding(counted(limit, key), micros.getAsLong());
    }

    /** Returns how many records there are, including ended ones. */
    synchronized long records() {
        return counts.values().stream()
                .mapToLong(counted -> counted.leases.size())
                .sum();
    }

    synchronized long remaining(Limit limit, String key) {
        Demand one = Demand.of(limit, key, 1);
        Count count = counted(limit, key).count;
        long now = micros.getAsLong();
        return count.verdict(one, count.grant(one, now), false, now).remaining();
    }

    private synchronized Outcome decideNow(Ask ask) {
        long now = micros.getAsLong();
        List<Count> all = new ArrayList<>();
        List<Long> grants = new ArrayList<>();
        boolean allowed = true;
        for (Demand demand : ask.demands()) {
            Count count = counted(demand.limit(), demand.key()).count;
            long grant = count.grant(demand, now);
            all.add(count);
            grants.add(grant);
            allowed &= grant > 0;
        }
        boolean charged = allowed && ask.charges();
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Demand demand = ask.demands().get(i);
            verdicts.add(all.get(i).verdict(demand, grants.get(i), charged && demand.isCharged(), now));
        }
        for (int i = 0; i < all.size(); i++) {
            if (charged && ask.demands().get(i).isCharged()) {
                all.get(i).charge(ask.demands().get(i), grants.get(i), now);
            } else if (ask.charges()) {
                all.get(i).refuse(now);
            }
        }
        return new EngineDecision(allowed, verdicts, now, null);
    }

    /** Returns an engine that decides on the same counts, with one call for each request. */
    public Engine engine() {
        return new Engine() {

            private volatile boolean closed;

            @Override
            public String name() {
                return "model";
            }

            @Override
            public Answer decide(Ask ask) {
                if (closed) {
                    return new EngineFailure("closed", false);
                }
                synchronized (LeaseModel.this) {
                    if (keepsAsks) {
                        asks.add(ask);
                    }
                }
                CompletableFuture<Outcome> outcome = call(
                                () -> decideNow(ask), (Outcome) new EngineFailure("model-fails", false))
                        .toCompletableFuture();
                return outcome.isDone() ? outcome.join() : new PendingOutcome(outcome);
            }

            @Override
            public CompletionStage<Boolean> giveBack(List<Charge> charges) {
                return call(
                        () -> {
                            synchronized (LeaseModel.this) {
                                long now = micros.getAsLong();
                                givenBack.addAll(charges);
                                charges.forEach(charge -> counted(charge.limit(), charge.key())
                                        .count
                                        .giveBack(charge, now));
                            }
                            return null;
                        },
                        null);
            }

            @Override
            public CompletionStage<Boolean> renew(Charge charge) {
                return CompletableFuture.completedFuture(false);
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }
}
