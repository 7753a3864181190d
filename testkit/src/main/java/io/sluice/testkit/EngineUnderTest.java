package io.sluice.testkit;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Pending;
import java.util.concurrent.TimeUnit;

/** An engine on empty counts, whose time the test sets. */
public interface EngineUnderTest extends AutoCloseable {

    Engine engine();

    /** Sets the time by which the engine decides, in microseconds since the epoch; it may go back. */
    void setMicros(long epochMicros);

    @Override
    void close() throws Exception;

    /** Asks and waits, generously; fails if the engine could not decide. */
    default Decided decide(Ask ask) {
        Answer answer = engine().decide(ask);
        try {
            Object outcome = answer instanceof Pending pending
                    ? pending.outcome().toCompletableFuture().get(30, TimeUnit.SECONDS)
                    : answer;
            if (outcome instanceof Decided decided) {
                return decided;
            }
            throw new AssertionError("not decided: " + outcome);
        } catch (Exception e) {
            throw new AssertionError("no outcome for " + ask, e);
        }
    }
}
