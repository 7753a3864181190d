package io.sluice.center.adjust;

import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A stored override or switch.
 *
 * @param rule the id of a rule, or {@code *} for all
 * @param limit the limit's name in reports; empty for a switch
 * @param attribute the attribute that names the caller; empty for a switch, and if the caller is known by a hash
 * @param caller the value of the attribute, or the hash; empty for a switch
 * @param numbers JSON; empty for a switch
 * @param until the time at which it expires, in milliseconds since the epoch
 * @param revision the revision of all adjustments that started with this one
 * @param endedAt the time at which it ended, in milliseconds since the epoch; 0 while it applies
 * @param tenant the tenant that the rule belonged to; empty for no tenant, for all rules, and if the tenant is not known
 */
public record Adjustment(
        long id,
        Kind kind,
        String rule,
        String limit,
        String attribute,
        String caller,
        String numbers,
        long until,
        String reason,
        String actor,
        long createdAt,
        long revision,
        long endedAt,
        String endedBy,
        String endReason,
        String tenant) {

    /** The id that represents all rules. */
    public static final String ALL_RULES = "*";

    private static final int SHOWN = 2;
    private static final String MASK = "***";

    /** The kind of an adjustment. */
    public enum Kind {
        OVERRIDE("override"),
        SWITCH("switch");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        static Kind of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow();
        }
    }

    public boolean isByHash() {
        return kind == Kind.OVERRIDE && attribute.isEmpty();
    }

    /** Returns the caller in the form that people may see: a hash, or the first two characters of the value. */
    public String masked() {
        return isByHash() ? caller : mask(caller);
    }

    /** Returns the first two characters of a value, as in the answers of {@code explain}. */
    public static String mask(String value) {
        return value.length() > SHOWN + 1 ? value.substring(0, value.offsetByCodePoints(0, SHOWN)) + MASK : MASK;
    }

    /** Returns whether the rules with its id still belong to the same tenant as when it was created. */
    public boolean isFor(List<RuleSet> sets) {
        return tenant.equals(tenant(rule, sets));
    }

    /** Returns the tenant that a rule belongs to in all sets that contain it; empty if there is no tenant, or more than one. */
    static String tenant(String rule, List<RuleSet> sets) {
        Set<String> tenants = sets.stream()
                .flatMap(set -> set.rule(rule).stream())
                .map(each -> each.about().tenant().orElse(""))
                .collect(Collectors.toSet());
        return tenants.size() == 1 ? tenants.iterator().next() : "";
    }

    CallerOverride override() {
        return new CallerOverride(
                Long.toString(id),
                rule,
                limit,
                isByHash() ? new Caller.ByHash(caller) : new Caller.ByValue(attribute, caller),
                numbers,
                Instant.ofEpochMilli(until));
    }

    ShadowSwitch shadowSwitch() {
        return new ShadowSwitch(
                Long.toString(id),
                Optional.of(rule).filter(each -> !each.equals(ALL_RULES)),
                Instant.ofEpochMilli(until));
    }
}
