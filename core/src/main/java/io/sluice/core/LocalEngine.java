package io.sluice.core;

import io.sluice.core.internal.CellTable;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Undecided;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * The engine of one process: counts in memory, answers at once. Exact. Safe for use by many threads.
 *
 * <p>Time is the wall clock at the start plus what the monotonic clock has moved since, so corrections of the wall clock
 * change no count.
 */
public final class LocalEngine implements Engine {

    private final CellTable cells;
    private volatile boolean closed;

    public LocalEngine(Clock clock) {
        this(anchored(clock));
    }

    private LocalEngine(LongSupplier epochMicros) {
        this.cells = new CellTable(epochMicros);
    }

    /**
     * An engine that takes its time, in microseconds since the epoch, from elsewhere: from a simulation, or from a clock that
     * may step back.
     */
    public static LocalEngine onTime(LongSupplier epochMicros) {
        return new LocalEngine(epochMicros);
    }

    private static LongSupplier anchored(Clock clock) {
        long startMicros = clock.epochMicros();
        long startNanos = clock.nanoTime();
        return () -> startMicros + (clock.nanoTime() - startNanos) / 1_000;
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public Answer decide(Ask ask) {
        return closed ? new Undecided("closed", false) : cells.decide(ask);
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        charges.forEach(cells::giveBack);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return CompletableFuture.completedFuture(renewNow(charge));
    }

    boolean renewNow(Charge charge) {
        return cells.renew(charge);
    }

    /** How many counts are held in memory. */
    public long keys() {
        return cells.size();
    }

    @Override
    public void close() {
        closed = true;
    }
}
