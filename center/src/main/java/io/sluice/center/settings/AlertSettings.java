package io.sluice.center.settings;

/** Where a center sends its alerts. Immutable. */
public record AlertSettings() {

    /** Nowhere: alerts are only shown. */
    public static final AlertSettings NONE = new AlertSettings();
}
