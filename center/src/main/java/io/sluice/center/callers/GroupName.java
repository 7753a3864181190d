package io.sluice.center.callers;

import io.sluice.runtime.data.RefusedMinute;

/**
 * The common properties of the callers in a group.
 *
 * @param rule the rule that refused them; empty for the refusals of all rules
 * @param limit the limit that refused them; empty if the rule itself denied, and for the refusals of all rules
 * @param attributes the attributes that identify a caller, such as {@code tenant,user}
 */
record GroupName(String rule, String limit, String attributes) {

    static GroupName of(RefusedMinute.Group group) {
        return new GroupName(group.rule(), group.limit(), group.attributes());
    }

    /** Returns whether the group covers the refusals of all rules. */
    boolean isOfAllRules() {
        return rule.isEmpty();
    }
}
