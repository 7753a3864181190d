package io.sluice.rules.model;

/** How widely a limit applies, in the order in which refusals are reported. */
public enum Level {
    GLOBAL,
    SERVICE,
    RESOURCE,
    CALLER
}
