package io.sluice.rules.internal.table;

/** Hears what a table has for a request. */
@FunctionalInterface
public interface HitListener {

    void found(int value);
}
