package io.sluice.runtime.durable;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Charges the counts of a new store with the sums of earlier stores, each count once. Blocks.
 *
 * <p>A count settles an id once, so any number of processes may restore the same figures at the same time, and repeat failed attempts. A
 * settlement is due only until its window ends by the clock of the store, so a window never gets charges of the window before.
 */
final class StoreRestore {

    private static final Duration ANSWERS_MAY_TAKE = Duration.ofSeconds(5);
    private static final int AT_ONCE = 50;

    /** The maximum lag of the store's clock for which a window is awaited. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final Engine engine;

    StoreRestore(Engine engine) {
        this.engine = engine;
    }

    /**
     * The result of restoring.
     *
     * @param counts the number of counts that were charged, now or before
     * @param permits the number of permits that were charged, now or before
     * @param left the number of counts that could not be charged
     */
    record Result(long counts, long permits, long left) {}

    /** Fails if a condition does not hold. */
    interface Check {

        void check() throws IOException;
    }

    /**
     * Charges counts.
     *
     * @param id the name of the charge
     * @param same a check that runs repeatedly and fails if the store is no longer the same
     * @throws IOException if the store does not answer; a repeated call with the same figures continues
     */
    Result charge(String id, Map<DurableCount, Long> figures, Check same) throws IOException {
        List<Map.Entry<DurableCount, Long>> all =
                figures.entrySet().stream().filter(each -> each.getValue() > 0).toList();
        Result sum = new Result(0, 0, 0);
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            same.check();
            Result some = chargeSome(id, all.subList(from, Math.min(all.size(), from + AT_ONCE)));
            sum = new Result(sum.counts + some.counts, sum.permits + some.permits, sum.left + some.left);
        }
        return sum;
    }

    private Result chargeSome(String id, List<Map.Entry<DurableCount, Long>> some) throws IOException {
        long now = timeOf(some.get(0).getKey());
        List<Settlement> settlements = new ArrayList<>();
        int counts = 0;
        long left = 0;
        for (Map.Entry<DurableCount, Long> each : some) {
            DurableCount count = each.getKey();
            long within = Math.min(Settlement.MAX_WITHIN_MICROS, count.endMicros() - now - 1);
            if (hasNotBegun(count, now)) {
                left++;
            } else if (within > 0) {
                counts++;
                long rest = each.getValue();
                for (int part = 0; rest > 0; part++) {
                    long permits = Math.min(rest, Limit.MAX_PERMITS);
                    settlements.add(
                            new Settlement(count.asLimit(), count.key(), 0, permits, now, id + ":" + part, within));
                    rest -= permits;
                }
            }
        }
        long permits = 0;
        if (!settlements.isEmpty()) {
            for (SettlementResult result : await(engine.settle(settlements))) {
                permits += result.change();
                left += result.kind() == Kind.UNKNOWN ? 1 : 0;
            }
        }
        return new Result(counts, permits, left);
    }

    /**
     * Another store had charged a window that this store has not reached, so one of the two clocks is wrong. If the lag is short, throws
     * an exception, so that the attempt is repeated.
     */
    private static boolean hasNotBegun(DurableCount count, long nowMicros) throws IOException {
        long missing = count.startMicros() - nowMicros;
        if (missing > 0 && missing <= TimeUnit.MICROSECONDS.convert(SOON)) {
            throw new IOException("the clock of the store is behind that of the lost one by a moment");
        }
        return missing > 0;
    }

    /** Returns the time of the store. */
    long timeOf(DurableCount count) throws IOException {
        Ask look = Ask.charging(List.of(Demand.of(count.asLimit(), count.key(), 1)))
                .looking();
        Answer answer = engine.decide(look);
        Outcome outcome = answer instanceof PendingOutcome pending ? await(pending.outcome()) : (Outcome) answer;
        if (outcome instanceof EngineFailure failure) {
            throw new IOException("the store does not decide: " + failure.reason());
        }
        return ((EngineDecision) outcome).atMicros();
    }

    /** Waits for an answer of the store. */
    static <T> T await(CompletionStage<T> stage) throws IOException {
        try {
            return stage.toCompletableFuture().get(ANSWERS_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the store fails: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException("the store does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
