package io.sluice.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.sluice.core.spi.Undecided;
import java.util.Locale;
import java.util.Set;

/** What went wrong, as a short name for decisions and metrics, and whether Redis may have charged all the same. */
final class Failures {

    static final String DISCONNECTED = "redis-disconnected";
    static final String TIMEOUT = "redis-timeout";
    static final String ERROR = "redis-error";

    /** Errors that Redis answers instead of running a function. */
    private static final Set<String> NOT_RUN =
            Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOAUTH", "NOPERM", "OOM", "READONLY");

    private Failures() {}

    static Undecided undecided(Throwable failure) {
        Throwable cause = DecideLibrary.cause(failure);
        if (DecideLibrary.isUnknown(cause)) {
            return new Undecided("redis-nofunction", false);
        }
        if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
            String code = cause.getMessage().split(" ", 2)[0];
            return NOT_RUN.contains(code)
                    ? new Undecided("redis-" + code.toLowerCase(Locale.ROOT), false)
                    : new Undecided(ERROR, true);
        }
        return new Undecided(DISCONNECTED, !isRejected(cause));
    }

    /** Whether it was the connection that failed, and not Redis that answered with an error. */
    static boolean isOfConnection(Throwable failure) {
        return !(DecideLibrary.cause(failure) instanceof RedisCommandExecutionException);
    }

    /** Whether Lettuce did not even try to send, because there was no connection. */
    private static boolean isRejected(Throwable cause) {
        return cause instanceof RedisException
                && cause.getMessage() != null
                && cause.getMessage().contains("Commands are rejected");
    }
}
