package io.sluice.replay.imports.peers;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.replay.imports.ImportKind;
import io.sluice.replay.imports.ImportResult;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;

/** The first limit of an imported rule, on the in-process engine and a clock that the test moves. */
final class ImportedLimit {

    private final ManualClock clock;
    private final Limiter limiter;
    private final Limit limit;

    /** Imports a configuration whose only rule has one limit. */
    ImportedLimit(ImportKind kind, String name, String text, long startMicros) {
        ImportResult result = ImportResult.of(kind, name, text);
        this.clock = QuietClock.at(startMicros);
        this.limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        this.limit = result.rules().get(0).limits().get(0).limit();
    }

    /** Asks for one permit at a time that is not before the last one. */
    boolean allows(String key, long atMicros) {
        long ahead = atMicros - clock.epochMicros();
        if (ahead > 0) {
            clock.advance(Duration.ofNanos(ahead * 1_000));
        }
        return limiter.decide(limit, key).allowed();
    }
}
