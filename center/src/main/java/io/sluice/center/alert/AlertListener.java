package io.sluice.center.alert;

/** Hears about every alert that fires, is told again, or is resolved. It must return at once. */
@FunctionalInterface
public interface AlertListener {

    /** Says that an alert changed. */
    void changed(String json);
}
