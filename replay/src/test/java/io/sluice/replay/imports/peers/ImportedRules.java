package io.sluice.replay.imports.peers;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.replay.imports.ImportResult;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.List;
import java.util.Map;

/** Imported rules in force: matching, keys and limits, on a clock that stands still. */
final class ImportedRules {

    private final Evaluator evaluator;

    ImportedRules(ImportResult result) {
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        RuleSet rules = new RuleSet(1, result.rules());
        this.evaluator = new Evaluator(
                () -> rules,
                new Limiter(new LocalEngine(clock), clock, List.of()),
                null,
                KeySettings.ofThisProcess(),
                clock,
                (ruling, nanos) -> {});
    }

    /** Returns whether a request with these attributes passes. */
    boolean allow(Map<String, String> attributes) {
        Ruling ruling = evaluator
                .evaluate(Attributes.of(attributes), 1)
                .toCompletableFuture()
                .join();
        return ((Ruling.Settled) ruling).allowed();
    }
}
