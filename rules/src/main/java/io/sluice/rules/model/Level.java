package io.sluice.rules.model;

/** How wide a limit reaches, in the order in which refusals are reported. */
public enum Level {
    GLOBAL,
    SERVICE,
    RESOURCE,
    CALLER
}
