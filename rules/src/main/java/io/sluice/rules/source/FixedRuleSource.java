package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A rule source with one set that never changes. */
final class FixedRuleSource implements RuleSource {

    private final PublishedRules rules = new PublishedRules();

    FixedRuleSource(RuleSet rules) {
        this.rules.publish(rules);
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    @Override
    public List<DocumentError> refused() {
        return List.of();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public void close() {
        rules.close();
    }
}
