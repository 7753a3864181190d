package io.sluice.rules.internal.table;

/** Receives the numbers that a table has for a request. */
@FunctionalInterface
public interface HitListener {

    void found(int value);
}
