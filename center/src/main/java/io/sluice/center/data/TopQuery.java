package io.sluice.center.data;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * A query for refused callers.
 *
 * @param rule the rule that refused; empty for all rules
 * @param attributes the attributes that identify a caller, such as {@code ip} or {@code tenant,user}; empty for all attributes, and then
 *     each caller of each limit counts separately
 * @param from the first minute, in minutes since 1970
 * @param until the minute after the last one, in minutes since 1970
 * @param most the maximum number of callers
 * @param sees whether the person who asks may read a rule
 */
public record TopQuery(
        Optional<String> rule, Optional<String> attributes, long from, long until, int most, Predicate<String> sees) {}
