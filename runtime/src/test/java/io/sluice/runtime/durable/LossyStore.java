package io.sluice.runtime.durable;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory that several processes share, and that can lose its data. */
final class LossyStore implements MarkedStore {

    private volatile Clock clock;
    private final Map<String, byte[]> marks = new ConcurrentHashMap<>();
    private volatile LocalEngine counts;
    private final AtomicInteger forgotten = new AtomicInteger();
    private volatile Runnable settling = () -> {};

    LossyStore(Clock clock) {
        this.clock = clock;
        this.counts = new LocalEngine(clock);
    }

    /** Runs this before each settlement. */
    void whenSettling(Runnable task) {
        settling = task;
    }

    /** Settles ids again that were settled before, as a store does after a day. */
    void forgetSettlements() {
        int unused = forgotten.incrementAndGet();
    }

    private Settlement renamed(Settlement each) {
        return new Settlement(
                each.limit(),
                each.key(),
                each.reserved(),
                each.actual(),
                each.chargedAtMicros(),
                each.id() + "@" + forgotten,
                each.withinMicros());
    }

    /** Loses all counts and marks. */
    void lose() {
        counts = new LocalEngine(clock);
        marks.clear();
    }

    /** Loses all counts and marks, and has another clock then. */
    void lose(Clock other) {
        clock = other;
        lose();
    }

    @Override
    public Engine engine() {
        return new Engine() {
            @Override
            public String name() {
                return "lossy";
            }

            @Override
            public Answer decide(Ask ask) {
                return counts.decide(ask);
            }

            @Override
            public CompletionStage<Boolean> giveBack(List<Charge> charges) {
                return counts.giveBack(charges);
            }

            @Override
            public CompletionStage<Boolean> renew(Charge charge) {
                return counts.renew(charge);
            }

            @Override
            public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
                settling.run();
                return counts.settle(
                        settlements.stream().map(LossyStore.this::renamed).toList());
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public CompletionStage<byte[]> mark(String name, byte[] proposed) {
        byte[] known = marks.putIfAbsent(name, proposed);
        return CompletableFuture.completedFuture(known == null ? proposed : known);
    }

    @Override
    public CompletionStage<Optional<byte[]>> markOf(String name) {
        return CompletableFuture.completedFuture(Optional.ofNullable(marks.get(name)));
    }
}
