package io.sluice.runtime.caller;

import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The marks of callers that are refused often, so that a flood of refusals does not require one hash per refusal. Bounded, and emptied
 * after a minute. Not thread-safe.
 */
final class MarkMemory {

    /** The maximum number of values of each attribute. */
    private static final int MOST = 4_096;

    private static final int LONGEST = 200;
    private static final int MOST_RULES = 1_000;

    private final CallerKeys keys;
    private final CallerMarks marks;
    private final Map<String, Map<String, CallerMark>> byAttribute = new HashMap<>();
    private final IdentityHashMap<Rule, Map<String, Profile>> profiles = new IdentityHashMap<>();
    private @Nullable RuleSet set;

    /**
     * The values that are the same for all refusals of a limit.
     *
     * @param names the attributes that identify the caller
     * @param single the attribute that identifies the caller alone, if the request has it; null if there is none
     */
    record Profile(
            CallerSketches.Name group,
            Set<String> names,
            @Nullable String single) {}

    MarkMemory(KeySettings settings) {
        this.keys = settings.keys();
        this.marks = new CallerMarks(settings);
    }

    /** Forgets all marks that were made for other rules. */
    void use(RuleSet now) {
        if (set != now) {
            forget();
            set = now;
        }
    }

    void forget() {
        byAttribute.clear();
        profiles.clear();
        set = null;
    }

    /** Works like {@link CallerMarks#of}. */
    Optional<CallerMark> of(RuleSet now, String attribute, Attributes request) {
        String value = keys.counted(attribute, request);
        if (value == null) {
            return Optional.empty();
        }
        Map<String, CallerMark> known = byAttribute.computeIfAbsent(attribute, made -> new HashMap<>());
        CallerMark mark = known.get(value);
        if (mark == null) {
            mark = marks.of(now, attribute, request).orElseThrow();
            if (known.size() >= MOST) {
                known.clear();
            }
            if (value.length() <= LONGEST) {
                known.put(value, mark);
            }
        }
        return Optional.of(mark);
    }

    /** Works like {@link CallerMarks#caller}. */
    Optional<CallerMark> caller(RuleSet now, Rule rule, @Nullable String limit, Attributes request) {
        String single = profile(rule, limit).single;
        return single != null && keys.counted(single, request) != null
                ? of(now, single, request)
                : marks.caller(now, rule, limit, request);
    }

    Profile profile(Rule rule, @Nullable String limit) {
        if (profiles.size() >= MOST_RULES && !profiles.containsKey(rule)) {
            profiles.clear();
        }
        return profiles.computeIfAbsent(rule, made -> new HashMap<>())
                .computeIfAbsent(limit == null ? "" : limit, made -> newProfile(rule, limit));
    }

    private static Profile newProfile(Rule rule, @Nullable String limit) {
        Set<String> names = new HashSet<>(RefusedCallers.ATTRIBUTES);
        names.addAll(CallerMarks.names(rule, limit));
        return new Profile(
                new CallerSketches.Name(rule.id(), limit == null ? "" : limit, CallerMarks.attributes(rule, limit)),
                Set.copyOf(names),
                single(rule, limit));
    }

    private static @Nullable String single(Rule rule, @Nullable String limit) {
        for (RuleLimit each : rule.limits()) {
            List<By> by = each.by();
            if (each.id().equals(limit)
                    && each.privacy() == Privacy.PLAIN
                    && by.size() == 1
                    && by.get(0).otherwise().isEmpty()) {
                return by.get(0).attribute();
            }
        }
        return null;
    }
}
