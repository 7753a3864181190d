package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A rule that applies to a request because the caller selected it, regardless of its scope. Immutable.
 *
 * @param rule the rule, which has limits or denies
 * @param numbers the numbers that replace the numbers of its only limit; null to keep them
 */
public record NamedRule(Rule rule, @Nullable Limit numbers) {}
