package io.sluice.center.log;

import io.sluice.core.spi.RootCause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A problem that comes and goes. Its start and its end are logged, but not every failure in between. Thread-safe. */
public final class Trouble {

    private static final Logger LOG = LoggerFactory.getLogger(Trouble.class);

    private final String begins;
    private final String ends;
    private final boolean isUnexpected;
    private volatile @Nullable String now;

    private Trouble(String begins, String ends, boolean isUnexpected) {
        this.begins = begins;
        this.ends = ends;
        this.isUnexpected = isUnexpected;
    }

    /**
     * Returns the trouble with an external service that may be unavailable.
     *
     * @param what the name of the service, such as {@code Redis}
     * @param meaning the consequence of its failure for the user
     */
    public static Trouble with(String what, String meaning) {
        return new Trouble(what + " is unavailable; " + meaning, what + " is available again", false);
    }

    /** Returns the trouble of a part of the center. It is logged with its stack trace. */
    public static Trouble of(String part) {
        return new Trouble(
                part + " failed; it is tried again, and everything else continues", part + " works again", true);
    }

    public Optional<String> now() {
        return Optional.ofNullable(now);
    }

    /** Runs a step. Returns whether it succeeded. */
    public boolean attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            begin(e);
            return false;
        }
        end();
        return true;
    }

    public void begin(Throwable failure) {
        Throwable root = RootCause.of(failure);
        // A failure of the program may have no message.
        String why = (root.getMessage() == null ? root.toString() : RootCause.words(root)).replaceAll("\\s+", " ");
        if (now == null && isUnexpected) {
            LOG.error("{}: {}", begins, why, failure);
        } else if (now == null) {
            LOG.warn("{}: {}", begins, why);
        }
        now = why;
    }

    public void end() {
        if (now != null) {
            now = null;
            LOG.info("{}", ends);
        }
    }
}
