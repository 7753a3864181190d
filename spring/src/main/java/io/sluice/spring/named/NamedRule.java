package io.sluice.spring.named;

/**
 * A rule that the application names.
 *
 * @param id the id of the rule
 * @param place what names it, for messages
 */
public record NamedRule(String id, String place) {}
