package io.sluice.rules.internal.index;

/** Hears what a table has for a request. */
@FunctionalInterface
interface Found<V> {

    void found(V value);
}
