package io.sluice.redis.internal.wire;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.sluice.core.spi.EngineFailure;
import java.util.Locale;
import java.util.Set;

/** Maps failures to short names for decisions and metrics, and determines whether Redis may have charged nevertheless. */
public final class FailureNames {

    public static final String DISCONNECTED = "redis-disconnected";
    public static final String TIMEOUT = "redis-timeout";
    public static final String ERROR = "redis-error";
    public static final String OUT_OF_MEMORY = "redis-oom";
    public static final String OVERLOAD = "redis-overload";

    /** Errors with which Redis answers instead of running a function. */
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

    /** Failures that a new connection may fix: the server was demoted, or wants the client to authenticate again. */
    private static final Set<String> OTHER_CONNECTION =
            Set.of("redis-readonly", "redis-noauth", "redis-noperm", "redis-wrongpass", DISCONNECTED);

    /** Errors with which Redis denies access. An operator has to change the password or the permissions. */
    private static final Set<String> OF_ACCESS = Set.of("redis-noauth", "redis-wrongpass", "redis-noperm");

    private FailureNames() {}

    /** Returns the name of a failure to connect. */
    public static String notConnected(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String code = String.valueOf(root.getMessage()).split(" ", 2)[0];
        String name = "redis-" + code.toLowerCase(Locale.ROOT);
        return root instanceof RedisCommandExecutionException && isOfAccess(name) ? name : DISCONNECTED;
    }

    /** Returns whether Redis denied access, a problem that will not end by itself. */
    public static boolean isOfAccess(String reason) {
        return OF_ACCESS.contains(reason);
    }

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

    /** Returns whether Redis did nothing because its memory is full. */
    public static boolean isOutOfMemory(Throwable failure) {
        return undecided(failure).reason().equals(OUT_OF_MEMORY);
    }

    /** Returns whether the connection failed, as opposed to Redis answering with an error. */
    public static boolean isOfConnection(Throwable failure) {
        return !(DecideLibrary.cause(failure) instanceof RedisCommandExecutionException);
    }

    /** Returns whether Lettuce did not even try to send, because there was no connection. */
    private static boolean isRejected(Throwable cause) {
        return cause instanceof RedisException
                && cause.getMessage() != null
                && cause.getMessage().contains("Commands are rejected");
    }
}
