package io.sluice.runtime.decisions;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Requests that are decided in this process or, if a rule says so, by a store that is always away. */
final class LoggedTraffic {

    static final KeySettings KEYS =
            new KeySettings(KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8)), 64, Optional.empty());

    static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    /** 2027-01-02T03:04:05.678Z. */
    static final long START_MICROS = 1_798_859_045_678_000L;

    final ManualClock clock = QuietClock.at(START_MICROS);
    final RuleSet rules;

    LoggedTraffic(String document) {
        this.rules = new RuleSet(7, ((RuleDocument.Accepted) RuleDocument.parse("test", document)).rules());
    }

    /** Sends a request with an origin. */
    void send(RulingListener listener, Map<String, String> attributes) {
        send(listener, Attributes.of(attributes).from(new Origin("req-1", TRACE, "00f067aa0ba902b7", true)));
    }

    void send(RulingListener listener, Attributes request) {
        evaluator(listener).evaluate(request, 1).toCompletableFuture().join();
    }

    private Evaluator last;
    private RulingListener lastListener;

    /** The same one for one listener, because counts live in it. */
    Evaluator evaluator(RulingListener listener) {
        if (last == null || lastListener != listener) {
            Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
            Limiter shared = new Limiter(new LostStore(), clock, List.of());
            last = new Evaluator(() -> rules, local, shared, KEYS, clock, listener);
            lastListener = listener;
        }
        return last;
    }

    private static final class LostStore implements Engine {

        @Override
        public String name() {
            return "redis";
        }

        @Override
        public Answer decide(Ask ask) {
            return new EngineFailure("redis-timeout", false);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
