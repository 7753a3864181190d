package io.sluice.center.version;

import io.sluice.rules.snapshot.RuleSet;
import java.util.function.Supplier;

/**
 * Rules that the center displays but does not own.
 *
 * @param name the origin of the rules, such as the path of a file
 * @param rules returns the rules in force
 */
public record ForeignRules(String name, Supplier<RuleSet> rules) {}
