package io.sluice.redis.internal.wire;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.sluice.core.spi.EngineFailure;
import java.util.Locale;
import java.util.Set;

/** What went wrong, as a short name for decisions and metrics, and whether Redis may have charged all the same. */
public final class FailureNames {

    public static final String DISCONNECTED = "redis-disconnected";
    public static final String TIMEOUT = "redis-timeout";
    public static final String ERROR = "redis-error";
    public static final String OUT_OF_MEMORY = "redis-oom";
    public static final String OVERLOAD = "redis-overload";

    /** Errors that Redis answers instead of running a function. */
    private static final Set<String> NOT_RUN = Set.of(
            "BUSY",
            "CLUSTERDOWN",
            "LOADING",
            "MASTERDOWN",
            "MISCONF",
            "NOAUTH",
            "NOPERM",
            "NOREPLICAS",
            "OOM",
            "READONLY",
            "TRYAGAIN",
            "MOVED",
            "ASK");

    /** What another connection may put right: the server was demoted, or wants to be told again who is there. */
    private static final Set<String> OTHER_CONNECTION =
            Set.of("redis-readonly", "redis-noauth", "redis-noperm", "redis-wrongpass", DISCONNECTED);

    private FailureNames() {}

    public static EngineFailure undecided(Throwable failure) {
        Throwable cause = DecideLibrary.cause(failure);
        if (DecideLibrary.isUnknown(cause)) {
            return new EngineFailure("redis-nofunction", false);
        }
        if (cause instanceof RedisCommandExecutionException && cause.getMessage() != null) {
            String code = cause.getMessage().split(" ", 2)[0];
            return NOT_RUN.contains(code)
                    ? new EngineFailure("redis-" + code.toLowerCase(Locale.ROOT), false)
                    : new EngineFailure(ERROR, true);
        }
        return new EngineFailure(DISCONNECTED, !isRejected(cause));
    }

    public static boolean wantsAnotherConnection(String reason) {
        return OTHER_CONNECTION.contains(reason);
    }

    /** Whether Redis did nothing because its memory is full. */
    public static boolean isOutOfMemory(Throwable failure) {
        return undecided(failure).reason().equals(OUT_OF_MEMORY);
    }

    /** Whether it was the connection that failed, and not Redis that answered with an error. */
    public static boolean isOfConnection(Throwable failure) {
        return !(DecideLibrary.cause(failure) instanceof RedisCommandExecutionException);
    }

    /** Whether Lettuce did not even try to send, because there was no connection. */
    private static boolean isRejected(Throwable cause) {
        return cause instanceof RedisException
                && cause.getMessage() != null
                && cause.getMessage().contains("Commands are rejected");
    }
}
