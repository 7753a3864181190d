package io.sluice.runtime.durable;

import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The durable limits of the rules in force and on trial. Thread-safe. */
final class DurableLimits {

    private final Supplier<RuleSet> rules;
    private volatile @Nullable Known known;

    DurableLimits(Supplier<RuleSet> rules) {
        this.rules = rules;
    }

    /** The names under which the durable limits of a rule set are counted. */
    private record Known(RuleSet set, Set<String> names) {}

    /** Returns whether there are durable limits. */
    boolean exist() {
        return !names().isEmpty();
    }

    /** Returns the limit as a calendar window; null if it is not durable. */
    @Nullable
    FixedWindow durable(Limit limit) {
        return limit.followsCalendar() && names().contains(limit.name()) ? (FixedWindow) limit : null;
    }

    @SuppressWarnings("ReferenceEquality") // a rule set that is in force again is the same object
    private Set<String> names() {
        RuleSet set = rules.get();
        Known last = known;
        if (last == null || last.set != set) {
            Set<String> names = new HashSet<>();
            add(set, names);
            CallerTrial trial = set.trial();
            if (trial != null) {
                add(trial.rules(), names);
            }
            last = new Known(set, Set.copyOf(names));
            known = last;
        }
        return last.names;
    }

    private static void add(RuleSet set, Set<String> names) {
        for (Rule rule : set.rules()) {
            if (rule.enabled()) {
                Stream.concat(rule.limits().stream(), rule.candidate().stream())
                        .filter(RuleLimit::durable)
                        .forEach(limit -> names.add(limit.limit().name()));
            }
        }
    }
}
