package io.sluice.spring.boot.founding;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.spring.named.DefaultRules;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * The limit for names that {@code rate.limit.configs} does not configure: 100 calls in a minute, with a count of its own for
 * each name. Applications without {@code rate.limit.configs} have no such default. Thread-safe.
 */
public final class FoundingDefault implements DefaultRules {

    private static final Logger LOG = LoggerFactory.getLogger(FoundingDefault.class);
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    private final FoundingLimits limits;
    private final Map<String, Optional<Rule>> made = new ConcurrentHashMap<>();

    private FoundingDefault(FoundingLimits limits) {
        this.limits = limits;
    }

    public static DefaultRules in(Environment environment) {
        return FoundingLimits.areIn(environment)
                ? new FoundingDefault(FoundingLimits.read(environment))
                : DefaultRules.NONE;
    }

    @Override
    public @Nullable Rule of(String id) {
        return made.computeIfAbsent(id, this::make).orElse(null);
    }

    private Optional<Rule> make(String id) {
        if (!ID.matcher(id).matches()) {
            return Optional.empty();
        }
        if (!limits.rules().containsKey(id)) {
            LOG.info(
                    "{} has no {}; unless a rule has this id, the default applies: {} calls in {} ms",
                    FoundingLimits.PREFIX,
                    id,
                    FoundingLimits.DEFAULT_LIMIT,
                    FoundingLimits.DEFAULT_WINDOW_MILLIS);
        }
        RuleDocument document = RuleDocument.parseRule(
                FoundingLimits.PREFIX,
                ("{id: \"%s\", for: code, limits: [{by: key, absent: share, algorithm: sliding_window,"
                                + " limit: %d, window: %dms}]}")
                        .formatted(id, FoundingLimits.DEFAULT_LIMIT, FoundingLimits.DEFAULT_WINDOW_MILLIS));
        return document instanceof RuleDocument.Accepted accepted
                ? Optional.of(accepted.rules().get(0))
                : Optional.empty();
    }
}
