package io.sluice.redis.internal.refusal;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.NamedEngine;
import io.sluice.redis.internal.wire.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches refusals until the retry time that Redis gave. Callers that send many requests to an exhausted limit are refused here and do not
 * keep Redis from deciding for other callers. A decorator. Thread-safe.
 *
 * <p><b>What is cached.</b> For each count and the numbers of its limit, the smallest demand that was refused. Until the retry time, a
 * demand for as much or more is refused, and a smaller demand is not. A request over several limits is refused as soon as one of these
 * limits is known to refuse. Other numbers, after a change of rules, have their own entry. Concurrency limits are never cached, because
 * their permits may return at any time. Requests that only look neither use the cache nor add to it.
 *
 * <p><b>Trade-offs.</b> The cache never admits a request, and it refuses only requests that Redis would refuse, except in two cases:
 *
 * <ul>
 * <li>Permits returned through this engine are noticed immediately. Permits returned by other processes are noticed a moment later, when
 * Redis announces them ({@link RefundChannel}). While Redis does not announce them, or announcements may have been lost, refusals are
 * cached for only {@link #UNTOLD}; a lost announcement channel is noticed within {@link RefundChannel#SILENCE}.
 * <li>A deleted count, or a server whose clock was moved forward, is noticed after {@link #LONGEST} at the latest, because Redis is then
 * asked again.
 * </ul>
 *
 * <p><b>What callers see.</b> A refusal from the cache looks like any other refusal and is not degraded, because Redis decided it. A limit
 * that is known to refuse reports its last answer, adjusted for the time passed since. A caller that asks for more than the refused demand
 * receives the retry time of the smaller demand, which is the earliest possible. The other limits report their last answers. If permits
 * were returned to one of them since, Redis is asked again, at most once in {@link #UNTOLD} for a count that does not refuse. A limit
 * without a known answer reports as {@linkplain Verdict#unasked not asked}. {@link #remembered} counts these answers.
 */
public final class DenyCache implements Engine {

    /** The maximum time that a refusal is cached. */
    public static final Duration LONGEST = Duration.ofMinutes(1);

    /** The time that a refusal is cached while Redis does not announce the permits that other processes return. */
    public static final Duration UNTOLD = Duration.ofMillis(50);

    private final NamedEngine engine;
    private final RedisKeys names;
    private final Clock clock;
    private final RefusalTable memory;
    private final BooleanSupplier told;
    private final AutoCloseable channel;
    private final LongAdder remembered = new LongAdder();
    private volatile boolean closed;

    private DenyCache(
            NamedEngine engine,
            RedisKeys names,
            Clock clock,
            RefusalTable memory,
            BooleanSupplier told,
            AutoCloseable channel) {
        this.engine = engine;
        this.names = names;
        this.clock = clock;
        this.memory = memory;
        this.told = told;
        this.channel = channel;
    }

    /** Creates a cache like {@link #over(NamedEngine, String, String, Clock, RedisOptions)} with {@link RedisOptions#defaults}. */
    public static DenyCache over(NamedEngine engine, String uri, String prefix, Clock clock) {
        return over(engine, uri, prefix, clock, RedisOptions.defaults());
    }

    /**
     * Creates a cache in front of an engine. It has a connection of its own on which Redis announces returned permits.
     *
     * @param engine the engine that decides in the Redis at {@code uri}; closed together with this cache
     * @param uri the URI of the engine
     * @param prefix the prefix of the engine
     * @param options the options of the engine
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static DenyCache over(NamedEngine engine, String uri, String prefix, Clock clock, RedisOptions options) {
        RefusalTable memory = new RefusalTable();
        RefundChannel channel = RefundChannel.open(uri, prefix, clock, memory::forget, memory::clear);
        RedisKeys names = new RedisKeys(prefix, options.hashTags());
        return new DenyCache(engine, names, clock, memory, channel::isHeard, channel);
    }

    /** Creates a cache that a test notifies of returned permits. */
    public static DenyCache over(
            NamedEngine engine, String prefix, Clock clock, RefusalTable memory, BooleanSupplier told) {
        return new DenyCache(engine, new RedisKeys(prefix), clock, memory, told, () -> {});
    }

    /** Returns the number of requests that were refused from the cache so far. */
    public long remembered() {
        return remembered.sum();
    }

    /** Returns whether Redis announces the permits that other processes return. */
    public boolean isTold() {
        return told.getAsBoolean();
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        if (!ask.charges()) {
            return engine.decide(ask);
        }
        Inquiry inquiry = new Inquiry(ask);
        EngineDecision refused = inquiry.fromMemory();
        if (refused != null) {
            remembered.increment();
            return refused;
        }
        Answer answer = engine.decide(ask, inquiry.counts);
        if (answer instanceof PendingOutcome pending) {
            CompletionStage<Outcome> outcome = pending.outcome().whenComplete((heard, failure) -> {
                if (heard instanceof EngineDecision decided) {
                    inquiry.answered(decided);
                }
            });
            return new PendingOutcome(outcome, pending.afterArrivals());
        }
        if (answer instanceof EngineDecision decided) {
            inquiry.answered(decided);
        }
        return answer;
    }

    /** Gives back charges. Forgets refusals before and after the refund, because earlier requests may still be answered after it. */
    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        forget(charges);
        return engine.giveBack(charges).whenComplete((done, failure) -> forget(charges));
    }

    /** Settles. Forgets the refusals of counts that get permits back, before and after the settlement, as {@link #giveBack} does. */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        List<String> easing = settlements.stream()
                .filter(settlement -> settlement.more() < 0)
                .map(settlement -> names.of(settlement.limit(), settlement.key()))
                .toList();
        easing.forEach(memory::forget);
        return engine.settle(settlements).whenComplete((done, failure) -> easing.forEach(memory::forget));
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    @Override
    public long forget(KeyMatch match) {
        memory.forgetIf(count -> names.isOf(match, count));
        return engine.forget(match);
    }

    @Override
    public void close() {
        closed = true;
        memory.clear();
        try {
            channel.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            engine.close();
        }
    }

    private void forget(List<Charge> charges) {
        for (Charge charge : charges) {
            if (!charge.isHeld()) {
                memory.forget(names.of(charge.limit(), charge.key()));
            }
        }
    }

    /** A request on its way through the cache. */
    private final class Inquiry {

        private final List<Demand> demands;
        private final String[] counts;
        private final int[] stamps;
        private final long askedNanos;

        Inquiry(Ask ask) {
            this.demands = ask.demands();
            this.counts = names.of(demands);
            this.stamps = new int[counts.length];
            for (int i = 0; i < counts.length; i++) {
                if (isRemembered(i)) {
                    stamps[i] = memory.stamp(counts[i]);
                }
            }
            this.askedNanos = clock.nanoTime();
        }

        private boolean isRemembered(int demand) {
            return !demands.get(demand).limit().kind().holds();
        }

        /** Returns the refusal that Redis would give, or null if it is unknown or would report outdated answers. */
        @Nullable
        EngineDecision fromMemory() {
            long longest = (told.getAsBoolean() ? LONGEST : UNTOLD).toNanos();
            // Read each entry once: it may be removed at any moment.
            @Nullable LastVerdict[] heard = new LastVerdict[counts.length];
            LastVerdict refusing = null;
            boolean outdated = false;
            for (int i = 0; i < counts.length; i++) {
                Limit limit = demands.get(i).limit();
                LastVerdict last = isRemembered(i) ? memory.find(counts[i], limit) : null;
                heard[i] = last;
                outdated |= last != null && last.isOutdated(askedNanos);
                if (last != null && refusing == null && last.refuses(demands.get(i), askedNanos, longest)) {
                    refusing = last;
                }
            }
            return refusing == null || outdated ? null : refused(heard, refusing.serverMicros(askedNanos), longest);
        }

        private EngineDecision refused(@Nullable LastVerdict[] heard, long serverMicros, long longestNanos) {
            List<Verdict> verdicts = new ArrayList<>(counts.length);
            for (int i = 0; i < counts.length; i++) {
                LastVerdict last = heard[i];
                Demand demand = demands.get(i);
                verdicts.add(
                        last == null
                                ? Verdict.unasked(demand.limit().capacity(), serverMicros)
                                : last.told(demand, askedNanos, longestNanos));
            }
            return new EngineDecision(false, verdicts, serverMicros, null);
        }

        void answered(EngineDecision decided) {
            if (decided.allowed() || decided.degraded() != null || closed) {
                return;
            }
            long now = clock.nanoTime();
            for (int i = 0; i < counts.length; i++) {
                if (isRemembered(i)) {
                    Demand demand = demands.get(i);
                    Verdict verdict = decided.verdicts().get(i);
                    memory.keep(
                            LastVerdict.of(counts[i], demand, verdict, askedNanos, now, decided.atMicros(), LONGEST),
                            demand,
                            stamps[i]);
                }
            }
        }
    }
}
