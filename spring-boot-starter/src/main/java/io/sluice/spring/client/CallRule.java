package io.sluice.spring.client;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Makes a rule of limits on calls. */
final class CallRule {

    /** The attribute under which the key of a call is known to rules. */
    static final String KEY = "key";

    static final Handling LOCAL = Handling.DEFAULT;

    private CallRule() {}

    /**
     * A rule with these limits.
     *
     * @param byKey whether each key counts by itself, or all calls together
     */
    static Rule of(String name, Handling handling, boolean byKey, Limit... limits) {
        List<By> by = byKey ? List.of(By.attribute(KEY)) : List.of();
        List<RuleLimit> all = new ArrayList<>(limits.length);
        for (int i = 0; i < limits.length; i++) {
            all.add(new RuleLimit(name + "." + i, limits[i], by, AbsentPolicy.SHARE, Privacy.PLAIN));
        }
        return new Rule(
                name,
                true,
                Action.LIMIT,
                Scope.EVERYTHING,
                false,
                all,
                List.of(),
                List.of(),
                handling,
                RuleDescription.NOTHING);
    }

    /** The name of a limit that no limit of a rule document has: there, digits alone never stand behind the last dot. */
    static Limit.Named limit(String rule, int position) {
        return Limit.named(rule + "." + position);
    }

    static Handling handling(FailurePolicy onFailure, OptionalDouble localShare) {
        return new Handling(
                Mode.DISTRIBUTED,
                Lease.DEFAULT,
                onFailure,
                localShare,
                Handling.DEFAULT.deadline(),
                OptionalDouble.empty());
    }
}
