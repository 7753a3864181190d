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

/** Builds rules for limits on outbound calls. */
public final class CallRule {

    /** The attribute that holds the key of a call. */
    static final String KEY = "key";

    static final Handling LOCAL = Handling.DEFAULT;

    private CallRule() {}

    /**
     * Returns a rule with these limits.
     *
     * @param byKey whether each key has its own count; otherwise all calls share one count
     */
    public static Rule of(String name, Handling handling, boolean byKey, Limit... limits) {
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

    /**
     * Names a limit so that no limit of a rule document has the same name: there, the last dot is never followed by digits alone.
     */
    public static Limit.Named limit(String rule, int position) {
        return Limit.named(rule + "." + position);
    }

    /** Returns the handling of a limit that is shared through the store. */
    public static Handling handling(FailurePolicy onFailure, OptionalDouble localShare) {
        return new Handling(
                Mode.DISTRIBUTED,
                Lease.DEFAULT,
                onFailure,
                localShare,
                Handling.DEFAULT.deadline(),
                OptionalDouble.empty());
    }
}
