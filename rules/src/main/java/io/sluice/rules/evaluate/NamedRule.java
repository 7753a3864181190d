package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A rule that applies to a request because the caller found it, whatever its scope. Immutable.
 *
 * @param rule one with limits, or one that denies
 * @param numbers instead of those of its only limit; null for its own
 */
public record NamedRule(Rule rule, @Nullable Limit numbers) {}
