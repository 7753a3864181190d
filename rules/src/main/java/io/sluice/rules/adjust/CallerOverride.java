package io.sluice.rules.adjust;

import java.time.Instant;

/**
 * Other numbers for one caller, for a limited time. Immutable.
 *
 * @param id the id, unique among the adjustments
 * @param rule the id of the rule
 * @param limit the limit's name in reports, such as {@code orders.per-user}
 * @param numbers a JSON object with the numbers to replace, as overrides of rule documents have them: {@code {"rate":"500/s"}}
 * @param until the moment from which it no longer applies
 */
public record CallerOverride(String id, String rule, String limit, Caller caller, String numbers, Instant until) {}
