package io.sluice.center.alert;

/** Notified of every alert that fires, is repeated, or is resolved. It must return immediately. */
@FunctionalInterface
public interface AlertListener {

    /** Called when an alert has changed. */
    void changed(String json);
}
