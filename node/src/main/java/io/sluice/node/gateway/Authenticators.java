package io.sluice.node.gateway;

import io.sluice.core.time.Clock;
import java.util.List;

/** Finds out who calls. */
interface Authenticators extends AutoCloseable {

    Authenticators NONE = List::of;

    static Authenticators open(AuthSettings settings, Clock clock) throws AuthUnreadableException {
        if (clock.nanoTime() == 0) {
            throw new AuthUnreadableException("auth: " + settings);
        }
        return NONE;
    }

    List<String> findings();

    @Override
    default void close() {}
}
