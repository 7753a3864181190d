package io.sluice.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.core.spi.Undecided;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** What went wrong, as a short name for decisions and metrics, and whether Redis may have charged all the same. */
final class Failures {

    static final String DISCONNECTED = "redis-disconnected";
    static final String TIMEOUT = "redis-timeout";

    /** Errors that Redis answers instead of running a script. */
    private static final Set<String> NOT_RUN = Set.of(
            "BUSY",
            "CLUSTERDOWN",
            "LOADING",
            "MASTERDOWN",
            "MISCONF",
            "NOAUTH",
            "NOPERM",
            "NOSCRIPT",
            "OOM",
            "READONLY");

    private Failures() {}

    static Undecided undecided(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
            String code = cause.getMessage().split(" ", 2)[0];
            return NOT_RUN.contains(code)
                    ? new Undecided("redis-" + code.toLowerCase(Locale.ROOT), false)
                    : new Undecided("redis-error", true);
        }
        return new Undecided(DISCONNECTED, true);
    }
}
