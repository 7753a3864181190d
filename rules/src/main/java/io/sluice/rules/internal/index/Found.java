package io.sluice.rules.internal.index;

/** Hears what a table has for a request. */
@FunctionalInterface
interface Found {

    void found(int value);
}
