package io.sluice.redis;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Pending;
import io.sluice.core.spi.Undecided;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The engine whose counts live in Redis and are shared by every process that uses it. Exact, by the time of the Redis server.
 * Safe for use by many threads.
 *
 * <p>Redis decides by a function, {@code decide.lua}, in one step: an ask, whatever the number of its limits, and all that
 * waits for the connection together with it. A call is sent once: one that was under way when a connection broke is not sent
 * again, because Redis may have charged it. A function that Redis does not know (it was restarted, or flushed) has charged
 * nothing, so that one is loaded and called again.
 *
 * <p>This engine watches no deadline and has no opinion about failures; put a {@link io.sluice.core.FallbackEngine} in front.
 */
public final class RedisEngine implements Engine {

    private final RedisLink link;
    private final CountKeys names;
    private final Clock clock;
    private final Coalescer calls;

    /** How far the server's clock was ahead of ours in its last reply; only calendars ask for it. */
    private volatile long aheadMicros;

    private RedisEngine(RedisLink link, String prefix, Clock clock, RedisOptions options, Supplier<String> time) {
        this.link = link;
        this.names = new CountKeys(prefix);
        this.clock = clock;
        this.calls = new Coalescer(link, clock, time, options, micros -> aheadMicros = micros - clock.epochMicros());
    }

    /** Connects as {@link #connect(String, String, Clock, RedisOptions)} does, with {@link RedisOptions#defaults}. */
    public static RedisEngine connect(String uri, String prefix, Clock clock) {
        return connect(uri, prefix, clock, RedisOptions.defaults());
    }

    /**
     * Connects in the background and returns at once; until Redis is there, asks are undecided.
     *
     * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}, as Lettuce reads them
     * @param prefix what the names of all counts start with
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static RedisEngine connect(String uri, String prefix, Clock clock, RedisOptions options) {
        return new RedisEngine(RedisLink.open(uri, clock), prefix, clock, options, () -> "");
    }

    /** An engine that decides by a time of its own, in microseconds; only tests have a use for it. */
    static RedisEngine onTime(String uri, String prefix, Clock clock, RedisOptions options, Supplier<String> time) {
        return new RedisEngine(RedisLink.open(uri, clock), prefix, clock, options, time);
    }

    /** Whether Redis is connected and knows the function. */
    public boolean isReady() {
        return link.isReady();
    }

    /** Completes when {@link #isReady} first turns true. */
    public CompletionStage<Void> ready() {
        return link.ready();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Answer decide(Ask ask) {
        if (link.connection() == null) {
            return new Undecided(link.isClosed() ? "closed" : Failures.DISCONNECTED, false);
        }
        if (ask.demands().isEmpty()) {
            return new Decided(true, List.of(), clock.epochMicros(), null);
        }
        if (ask.deadlineNanos() != Ask.NO_DEADLINE && clock.nanoTime() - ask.deadlineNanos() >= 0) {
            return new Undecided(Failures.TIMEOUT, false);
        }
        if (ask.demands().size() > Batch.LARGEST_QUESTION) {
            return new Undecided(Failures.ERROR, false);
        }
        Question.Asked question = new Question.Asked(ask, names, serverMicros());
        calls.ask(question);
        return new Pending(question.outcome, link.afterArrivals());
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (charges.size() > Batch.LARGEST_QUESTION) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "charges: " + charges.size() + " (expected: at most " + Batch.LARGEST_QUESTION + ")"));
        }
        return ask(Question.Charged.givenBack(charges, names, serverMicros())).thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return ask(Question.Charged.renewed(charge, names, serverMicros()));
    }

    @Override
    public void close() {
        link.close();
    }

    private CompletionStage<Boolean> ask(Question.Charged question) {
        calls.ask(question);
        return question.done;
    }

    private long serverMicros() {
        return clock.epochMicros() + aheadMicros;
    }
}
