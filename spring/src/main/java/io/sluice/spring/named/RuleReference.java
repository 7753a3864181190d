package io.sluice.spring.named;

/**
 * A place in the application that names a rule.
 *
 * @param id the id of the rule
 * @param place the place that names the rule, for messages
 */
public record RuleReference(String id, String place) {}
