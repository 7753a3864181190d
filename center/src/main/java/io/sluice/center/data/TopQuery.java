package io.sluice.center.data;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which refused callers to return.
 *
 * @param rule that refused; empty for all
 * @param attributes what a caller is, such as {@code ip} or {@code tenant,user}; empty for all, and then each caller of each limit is
 *     one
 * @param from in minutes since 1970
 * @param until in minutes since 1970; this one is not included
 * @param most the maximum number of callers
 * @param sees whether somebody may see a rule
 */
public record TopQuery(
        Optional<String> rule, Optional<String> attributes, long from, long until, int most, Predicate<String> sees) {}
