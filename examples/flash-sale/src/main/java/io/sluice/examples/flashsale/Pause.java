package io.sluice.examples.flashsale;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Pauses the current thread. */
final class Pause {

    private Pause() {}

    static void millis(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
