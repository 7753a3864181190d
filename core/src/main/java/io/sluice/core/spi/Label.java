package io.sluice.core.spi;

/**
 * What reports and metrics call a limit: the rule it belongs to, its own id and the mode it is decided in. Chosen by
 * whoever writes the rules, never by a caller. Immutable.
 */
public record Label(String rule, String limit, String mode) {}
