package io.sluice.spring.method.plan;

import io.sluice.core.limit.Limit;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.expression.CallValue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One annotation, read and checked. It caches the rule that it refers to in the current rule set. Thread-safe. */
public final class PlannedLimit {

    private static final String KEY = "key";
    private static final String SERVICE = "service";
    private static final Attributes NOTHING = Attributes.of(Map.of());

    private final Parts parts;
    private volatile Meaning meaning = Meaning.NONE;
    private final AtomicBoolean toldOfNoFigure = new AtomicBoolean();

    /**
     * The content of an annotation.
     *
     * @param where the annotation and its method, for messages
     * @param rule the id of its rule
     * @param inline the rule that applies while no rule with that id is in force; null if the annotation only names a rule
     * @param key the key to count by; null for one shared count
     * @param always the number of permits if it is a constant
     * @param permits the expression for the number of permits; null if it is a constant
     * @param settle reads the real cost from the result; null if the permits are the cost
     */
    public record Parts(
            String where,
            String rule,
            @Nullable Rule inline,
            @Nullable CallValue key,
            long always,
            @Nullable CallValue permits,
            @Nullable SettledFigure settle,
            @Nullable CallValue condition,
            @Nullable Fallback fallback,
            @Nullable Duration maxWait) {}

    /**
     * The rule that the annotation refers to in a rule set.
     *
     * @param rule the rule; null if there is none
     * @param attributes the attributes that the rule reads, other than key and service
     * @param claim the common claim of all calls; null if calls differ
     */
    public record Meaning(
            @Nullable RuleSet set,
            @Nullable Rule rule,
            List<String> attributes,
            @Nullable RuleCall claim) {

        static final Meaning NONE = new Meaning(null, null, List.of(), null);
    }

    public PlannedLimit(Parts parts) {
        this.parts = parts;
    }

    public Parts parts() {
        return parts;
    }

    /** Returns true at the first call, for a result without a cost. */
    public boolean firstWithoutFigure() {
        return toldOfNoFigure.compareAndSet(false, true);
    }

    @SuppressWarnings(
            "ReferenceEquality") // each rule set is its own object, and a lookup is cheaper than comparing two sets
    public Meaning meaning(RuleSet set) {
        Meaning known = meaning;
        if (known.set() != set) {
            known = means(set);
            meaning = known;
        }
        return known;
    }

    private Meaning means(RuleSet set) {
        Rule rule = set.rule(parts.rule()).orElse(parts.inline());
        if (rule == null) {
            return new Meaning(set, null, List.of(), null);
        }
        List<String> attributes = rule.attributes().stream()
                .filter(name -> !name.equals(KEY) && !name.equals(SERVICE))
                .toList();
        boolean same = attributes.isEmpty()
                && !rule.attributes().contains(SERVICE)
                && parts.key() == null
                && parts.permits() == null
                && parts.condition() == null
                && (parts.always() > 0 || reserves());
        return new Meaning(set, rule, attributes, same ? call(rule, NOTHING, parts.always()) : null);
    }

    /** Returns the claim of a call, or null if it asks for no permits. */
    @Nullable
    public RuleCall claim(Meaning meaning, Call call, @Nullable String service, PathForm paths) {
        Rule rule = meaning.rule();
        RuleCall same = meaning.claim();
        if (same != null) {
            Origin origin = origin(call);
            return origin.equals(Origin.UNKNOWN)
                    ? same
                    : call(same.rule(), same.request().from(origin), same.permits());
        }
        if (rule == null) {
            return null;
        }
        try {
            if (parts.condition() != null && !holds(parts.condition().of(call))) {
                return null;
            }
            long permits = parts.permits() == null
                    ? parts.always()
                    : permits(parts.permits().of(call));
            return permits == 0 && !reserves()
                    ? null
                    : call(rule, attributes(meaning, call, service, paths).from(origin(call)), permits);
        } catch (RuntimeException e) {
            throw new IllegalStateException(parts.where() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the claim. A call with an estimate of zero still needs a remaining permit, so it reserves one permit until it is
     * settled.
     */
    private RuleCall call(Rule rule, Attributes request, long permits) {
        return new RuleCall(rule, request, Math.max(1, permits), reserves());
    }

    private boolean reserves() {
        return parts.settle() != null;
    }

    private Attributes attributes(Meaning meaning, Call call, @Nullable String service, PathForm paths) {
        String key = parts.key() == null ? null : KeyText.text(parts.key().of(call));
        CurrentRequest request = meaning.attributes().isEmpty() ? null : call.request();
        if (key == null && service == null && request == null) {
            return NOTHING;
        }
        Map<String, String> values = new HashMap<>();
        if (request != null) {
            for (String name : meaning.attributes()) {
                String value = name.equals("path") ? request.sentPath() : request.attribute(name);
                if (value != null) {
                    values.put(name, value);
                }
            }
        }
        if (key != null) {
            values.put(KEY, key);
        }
        if (service != null) {
            values.put(SERVICE, service);
        }
        return Attributes.of(values, paths);
    }

    private static Origin origin(Call call) {
        CurrentRequest request = call.request();
        return request == null ? Origin.UNKNOWN : request.origin();
    }

    private static boolean holds(@Nullable Object value) {
        if (value == null || value instanceof Boolean) {
            return value == null || (Boolean) value;
        }
        throw new IllegalArgumentException(
                "condition: a " + value.getClass().getTypeName() + " (expected: true or false)");
    }

    private static long permits(@Nullable Object value) {
        if (value == null) {
            return 1;
        }
        if (value instanceof Number number && number.doubleValue() == number.longValue()) {
            return checked(number.longValue());
        }
        throw new IllegalArgumentException("permits: " + (value instanceof Number ? value : SettledFigure.shown(value))
                + " (expected: a whole number)");
    }

    static long checked(long permits) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        return permits;
    }
}
