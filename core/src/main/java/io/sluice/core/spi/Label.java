package io.sluice.core.spi;

/**
 * The name of a limit in reports and metrics: its rule, its own id and the mode in which it is decided. The author of the rules
 * chooses it, never a caller. Immutable.
 */
public record Label(String rule, String limit, String mode) {}
