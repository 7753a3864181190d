package io.sluice.redis.internal.refusal;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
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
 * Remembers refusals until the moment that Redis named, so that callers who hammer on an exhausted limit are refused here and do
 * not keep Redis from deciding for everybody else. A decorator; safe for use by many threads.
 *
 * <p><b>What is remembered.</b> Of each count and the numbers of its limit the least that was refused: who asks for as much or more
 * is refused until then, who asks for less is not. An ask over several limits is refused as soon as one of them is known to.
 * Other numbers (a change of rules) are another memory. Concurrency is never remembered, because its permits come back at any
 * time; looks neither use the memory nor add to it.
 *
 * <p><b>What it gives up.</b> It never admits anything, and it does not refuse whom Redis would admit, but for what it cannot
 * know:
 *
 * <ul>
 *   <li>Permits that are given back through this engine are noticed at once. Those that other processes give back are noticed when
 *       Redis tells of it ({@link RefundChannel}), a moment later. While it does not, or may not have, refusals are remembered for
 *       {@link #UNTOLD} and no longer; that it does not is noticed within {@link RefundChannel#SILENCE}.
 *   <li>A count that somebody deleted, and a server whose time was put forward, are noticed after {@link #LONGEST} at the latest,
 *       because Redis is asked again then.
 * </ul>
 *
 * <p><b>What is told.</b> A refusal from memory looks like any other and is not degraded: Redis has decided it. Of the limits
 * that are known to refuse, what they last said, so much later; who asks for more than was refused is told the moment at
 * which the least of it passes, which is the earliest. Of the others what they last said beside a refusal, if anything is known, else
 * that they are unused: nobody asked them. {@link #remembered} counts such answers.
 */
public final class DenyCache implements Engine {

    /** How long a refusal is remembered at most. */
    public static final Duration LONGEST = Duration.ofMinutes(1);

    /** How long a refusal is remembered while Redis does not tell what other processes give back. */
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

    /** As {@link #over(NamedEngine, String, String, Clock, RedisOptions)}, with {@link RedisOptions#defaults}. */
    public static DenyCache over(NamedEngine engine, String uri, String prefix, Clock clock) {
        return over(engine, uri, prefix, clock, RedisOptions.defaults());
    }

    /**
     * A memory in front of an engine; has a connection of its own on which Redis tells what is given back.
     *
     * @param engine what decides in the Redis at {@code uri}; closed with this one
     * @param uri as the engine was given it
     * @param prefix as the engine was given it
     * @param options as the engine was given them
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static DenyCache over(NamedEngine engine, String uri, String prefix, Clock clock, RedisOptions options) {
        RefusalTable memory = new RefusalTable();
        RefundChannel channel = RefundChannel.open(uri, prefix, clock, memory::forget, memory::clear);
        RedisKeys names = new RedisKeys(prefix, options.hashTags());
        return new DenyCache(engine, names, clock, memory, channel::isHeard, channel);
    }

    /** A memory that is told of give-backs by a test. */
    public static DenyCache over(
            NamedEngine engine, String prefix, Clock clock, RefusalTable memory, BooleanSupplier told) {
        return new DenyCache(engine, new RedisKeys(prefix), clock, memory, told, () -> {});
    }

    /** How many asks were refused from memory so far. */
    public long remembered() {
        return remembered.sum();
    }

    /** Whether Redis tells what other processes give back. */
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

    /** Whoever asks from now on asks after the give-back; what was asked before may be answered after it. */
    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        forget(charges);
        return engine.giveBack(charges).whenComplete((done, failure) -> forget(charges));
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
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

    /** An ask on its way through the memory. */
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
            return !(demands.get(demand).limit() instanceof Concurrency);
        }

        /** The refusal that Redis would answer with; null if that is not known. */
        @Nullable
        EngineDecision fromMemory() {
            long longest = (told.getAsBoolean() ? LONGEST : UNTOLD).toNanos();
            // Read once: it may be forgotten at any moment.
            @Nullable LastVerdict[] heard = new LastVerdict[counts.length];
            LastVerdict refusing = null;
            for (int i = 0; i < counts.length; i++) {
                Limit limit = demands.get(i).limit();
                LastVerdict last = isRemembered(i) ? memory.find(counts[i], limit) : null;
                heard[i] = last;
                if (last != null && refusing == null && last.refuses(demands.get(i), askedNanos, longest)) {
                    refusing = last;
                }
            }
            return refusing == null ? null : refused(heard, refusing.serverMicros(askedNanos), longest);
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
