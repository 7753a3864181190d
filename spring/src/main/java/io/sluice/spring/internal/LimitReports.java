package io.sluice.spring.internal;

import io.sluice.rules.evaluate.Ruling;

/** A request whose response can report the limits of the methods that it called. Thread-safe. */
@FunctionalInterface
public interface LimitReports {

    /** Reports nothing, for example outside of a request. */
    LimitReports NONE = ruling -> {};

    /** Reports a ruling that admits a call. Does nothing if it is too late to report. */
    void admitted(Ruling.Settled ruling);
}
