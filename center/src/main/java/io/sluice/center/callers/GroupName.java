package io.sluice.center.callers;

import io.sluice.runtime.data.RefusedMinute;

/**
 * What the callers of a group have in common.
 *
 * @param rule that refused them; empty for the refusals of all rules
 * @param limit that refused them; empty if the rule itself denied, and for the refusals of all rules
 * @param attributes what a caller is, such as {@code tenant,user}
 */
record GroupName(String rule, String limit, String attributes) {

    static GroupName of(RefusedMinute.Group group) {
        return new GroupName(group.rule(), group.limit(), group.attributes());
    }

    /** Returns whether it is about the refusals of all rules. */
    boolean isOfAllRules() {
        return rule.isEmpty();
    }
}
