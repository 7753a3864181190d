package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.caller.RefusedCallers;
import io.sluice.runtime.data.DataBatch.Kind;
import java.util.Optional;

/**
 * The application's reports to its center about refused callers.
 *
 * @param own the key for hashes of callers; empty if a key file is configured
 */
record CallerReports(
        RefusedCallers refused,
        Optional<SharedCallerKey> own,
        KeySettings keys,
        RuleSource rules,
        Evaluator evaluator,
        Clock clock) {

    /** Starts to report refused callers and to answer questions, if there is a center that can ask. */
    void start(SluiceFleet fleet, SluiceEngines engines) {
        own.ifPresent(key -> engines.agreeOn(key, clock));
        boolean isCounting = fleet.outbox().takes(Kind.CALLERS);
        fleet.questions()
                .over(
                        Optional.of(refused).filter(unused -> isCounting),
                        keys,
                        rules::latest,
                        request -> evaluator.explain(request, 1),
                        AnswerJson::explain);
        if (isCounting) {
            refused.start();
        }
    }
}
