package io.sluice.rules.source;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.List;

/** A listener that records what a source reports. */
public final class HeardRules implements RuleListener {

    public final List<Long> versions = new ArrayList<>();
    public final List<List<String>> sets = new ArrayList<>();
    public final List<List<String>> errors = new ArrayList<>();

    @Override
    public synchronized void changed(RuleSet rules) {
        versions.add(rules.version());
        sets.add(rules.rules().stream().map(Rule::id).toList());
    }

    @Override
    public synchronized void refused(List<DocumentError> refused) {
        errors.add(refused.stream().map(Object::toString).toList());
    }
}
