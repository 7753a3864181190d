package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A rule that applies to a request because the caller selected it, whatever its scope. Immutable.
 *
 * @param rule a rule with limits, or one that denies
 * @param numbers replace those of its only limit; null to keep its own
 */
public record NamedRule(Rule rule, @Nullable Limit numbers) {}
