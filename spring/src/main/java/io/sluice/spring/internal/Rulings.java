package io.sluice.spring.internal;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes rulings for requests of the application itself. */
public final class Rulings {

    private Rulings() {}

    /**
     * Converts a ruling to one that allows or refuses. A request for more permits than a limit can ever hold is refused, and
     * waiting does not help.
     */
    public static Ruling.Settled settled(Ruling ruling, Rule rule, long version) {
        if (ruling instanceof Ruling.Settled settled) {
            return settled;
        }
        Ruling.Impossible impossible = (Ruling.Impossible) ruling;
        return settled(false, rule, Optional.empty(), version, impossible.permits());
    }

    /** Returns a refusal for a third party that asked callers to wait this long. */
    public static Ruling.Settled pausedFor(Duration pause, long version) {
        return settled(false, null, Optional.of(pause), version, 1);
    }

    /** Returns a ruling that allows a call without limits. */
    public static Ruling.Settled unlimited(long version) {
        return settled(true, null, Optional.of(Duration.ZERO), version, 1);
    }

    private static Ruling.Settled settled(
            boolean allowed, @Nullable Rule rule, Optional<Duration> retryAfter, long version, long permits) {
        return new Ruling.Settled(
                allowed,
                Action.LIMIT,
                rule,
                null,
                retryAfter,
                (rule == null ? Mode.LOCAL : rule.handling().mode()).word(),
                version,
                rule == null ? List.of() : List.of(rule.id()),
                List.of(),
                permits);
    }
}
