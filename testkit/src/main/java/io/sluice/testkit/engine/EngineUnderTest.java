package io.sluice.testkit.engine;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import java.util.concurrent.TimeUnit;

/** An engine on empty counts whose time is set by the test. */
public interface EngineUnderTest extends AutoCloseable {

    Engine engine();

    /** Sets the time by which the engine decides, in microseconds since the epoch. Must be called before any other method. */
    void setMicros(long epochMicros);

    /** Returns whether that time may step back. An engine on a monotonic clock never sees a step back. */
    default boolean timeStepsBack() {
        return true;
    }

    @Override
    void close() throws Exception;

    /** Asks and waits for up to a minute. Fails if the engine did not decide. */
    default EngineDecision decide(Ask ask) {
        Answer answer = engine().decide(ask);
        try {
            Object outcome = answer instanceof PendingOutcome pending
                    ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                    : answer;
            if (outcome instanceof EngineDecision decided) {
                return decided;
            }
            throw new AssertionError("not decided: " + outcome);
        } catch (Exception e) {
            throw new AssertionError("no outcome for " + ask, e);
        }
    }
}
