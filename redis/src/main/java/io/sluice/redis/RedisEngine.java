package io.sluice.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Pending;
import io.sluice.core.spi.Undecided;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * The engine whose counts live in Redis and are shared by every process that uses it. Exact, by the time of the Redis server.
 * Safe for use by many threads.
 *
 * <p>A decision is one run of {@code decide.lua}, whatever the number of limits. It is sent once: a command that was under way
 * when a connection broke is not sent again, because Redis may have charged it. A script that Redis does not know (it was
 * restarted, or flushed) has charged nothing, so that one is loaded and run again.
 *
 * <p>This engine watches no deadline and has no opinion about failures; put a {@link io.sluice.core.FallbackEngine} in front.
 */
public final class RedisEngine implements Engine {

    private final RedisLink link;
    private final CountKeys names;
    private final Clock clock;
    private final Supplier<String> time;

    /** How far the server's clock was ahead of ours in its last reply; only calendars ask for it. */
    private volatile long aheadMicros;

    private RedisEngine(RedisLink link, String prefix, Clock clock, Supplier<String> time) {
        this.link = link;
        this.names = new CountKeys(prefix);
        this.clock = clock;
        this.time = time;
    }

    /**
     * Connects in the background and returns at once; until Redis is there, asks are undecided.
     *
     * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}, as Lettuce reads them
     * @param prefix what the names of all counts start with
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static RedisEngine connect(String uri, String prefix, Clock clock) {
        return new RedisEngine(RedisLink.open(uri, clock), prefix, clock, () -> DecideScript.SERVER_TIME);
    }

    /** An engine that decides by a time of its own, in microseconds; only tests have a use for it. */
    static RedisEngine onTime(String uri, String prefix, Clock clock, Supplier<String> time) {
        return new RedisEngine(RedisLink.open(uri, clock), prefix, clock, time);
    }

    /** Whether Redis is connected and knows the script. */
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
        RedisAsyncCommands<String, String> redis = link.commands();
        if (redis == null) {
            return new Undecided(link.isClosed() ? "closed" : Failures.DISCONNECTED, false);
        }
        if (ask.demands().isEmpty()) {
            return new Decided(true, List.of(), clock.epochMicros(), null);
        }
        if (isPast(ask.deadlineNanos())) {
            return new Undecided(Failures.TIMEOUT, false);
        }
        CompletionStage<Outcome> outcome = run(
                        redis, ask.deadlineNanos(), micros -> DecideScript.decide(ask, names, time.get(), micros))
                .handle((reply, failure) ->
                        failure == null ? DecideScript.decided(reply) : Failures.undecided(failure));
        return new Pending(outcome, link.afterArrivals());
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        return charges.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : onCharges("back", charges).thenAccept(reply -> {});
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return onCharges("renew", List.of(charge)).thenApply(DecideScript::wasHeld);
    }

    private CompletionStage<List<Object>> onCharges(String purpose, List<Charge> charges) {
        RedisAsyncCommands<String, String> redis = link.commands();
        return redis == null
                ? CompletableFuture.failedFuture(new IllegalStateException(Failures.DISCONNECTED))
                : run(
                        redis,
                        Ask.NO_DEADLINE,
                        micros -> DecideScript.onCharges(purpose, charges, names, time.get(), micros));
    }

    @Override
    public void close() {
        link.close();
    }

    private boolean isPast(long deadlineNanos) {
        return deadlineNanos != Ask.NO_DEADLINE && clock.nanoTime() - deadlineNanos >= 0;
    }

    /** Runs the script; again if Redis did nothing because it does not know it, or was told of other windows than it is in. */
    private CompletionStage<List<Object>> run(
            RedisAsyncCommands<String, String> redis, long deadlineNanos, LongFunction<DecideScript.Call> call) {
        DecideScript.Call first = call.apply(serverMicros());
        return send(redis, first)
                .exceptionallyCompose(failure -> isPast(deadlineNanos)
                        ? CompletableFuture.failedFuture(failure)
                        : loadAndSendAgain(redis, first, failure))
                .thenCompose(reply -> {
                    aheadMicros = DecideScript.micros(reply) - clock.epochMicros();
                    return DecideScript.isOutside(reply)
                            ? send(redis, call.apply(DecideScript.micros(reply)))
                            : CompletableFuture.completedStage(reply);
                });
    }

    private long serverMicros() {
        return clock.epochMicros() + aheadMicros;
    }

    private static CompletionStage<List<Object>> send(
            RedisAsyncCommands<String, String> redis, DecideScript.Call call) {
        try {
            return redis.evalsha(DecideScript.SHA, ScriptOutputType.MULTI, call.keys, call.args);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletionStage<List<Object>> loadAndSendAgain(
            RedisAsyncCommands<String, String> redis, DecideScript.Call call, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof RedisNoScriptException)) {
            return CompletableFuture.failedFuture(failure);
        }
        return redis.scriptLoad(DecideScript.TEXT).thenCompose(sha -> send(redis, call));
    }
}
