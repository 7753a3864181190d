package io.sluice.rules.internal;

import io.sluice.rules.Attributes;
import io.sluice.rules.Rule;
import java.util.ArrayList;
import java.util.List;

/** Looks at every rule, so the cost grows with their number: for small sets. */
public final class ScanningIndex implements RuleIndex {

    private final List<Rule> enabled;

    public ScanningIndex(List<Rule> rules) {
        this.enabled = rules.stream().filter(Rule::enabled).toList();
    }

    @Override
    public List<Rule> matching(Attributes request) {
        List<Rule> matching = new ArrayList<>();
        for (Rule rule : enabled) {
            if (rule.scope().matches(request)) {
                matching.add(rule);
            }
        }
        return matching;
    }
}
