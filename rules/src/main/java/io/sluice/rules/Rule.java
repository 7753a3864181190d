package io.sluice.rules;

import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Limits, and the requests they are for. Immutable.
 *
 * @param id unique in its set
 * @param name for people
 * @param enabled a rule that is not applies to nothing
 * @param scope which requests
 * @param mode where it is decided
 * @param onFailure what decides while the shared store does not
 * @param localShare the part of each limit that one process enforces under {@link FailurePolicy#LOCAL}
 * @param deadline how long the shared store may take
 * @param limits at least one
 */
public record Rule(
        String id,
        Optional<String> name,
        boolean enabled,
        Scope scope,
        Mode mode,
        FailurePolicy onFailure,
        double localShare,
        Duration deadline,
        List<RuleLimit> limits) {

    /** The share where neither the rule nor the number of nodes gives one. */
    public static final double DEFAULT_LOCAL_SHARE = 0.5;

    public Rule {
        limits = List.copyOf(limits);
    }

    /** How wide one of the rule's limits reaches. */
    public Level level(RuleLimit limit) {
        return limit.by().isEmpty() ? scope.level() : Level.CALLER;
    }
}
