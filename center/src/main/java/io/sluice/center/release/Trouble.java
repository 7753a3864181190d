package io.sluice.center.release;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A problem that comes and goes. Its beginning and its end are logged, not every failure in between. Thread-safe. */
final class Trouble {

    private static final Logger LOG = LoggerFactory.getLogger(Trouble.class);

    private final String what;
    private final String meaning;
    private volatile @Nullable String now;

    /**
     * Creates a problem that does not exist yet.
     *
     * @param what the thing that may fail, such as {@code Redis}
     * @param meaning what its failure means for the user
     */
    Trouble(String what, String meaning) {
        this.what = what;
        this.meaning = meaning;
    }

    Optional<String> now() {
        return Optional.ofNullable(now);
    }

    /** Runs a step. Returns whether it succeeded. */
    boolean attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            String why = String.valueOf(root.getMessage()).replaceAll("\\s+", " ");
            if (now == null) {
                LOG.warn("{} is unavailable; {}: {}", what, meaning, why);
            }
            now = why;
            return false;
        }
        if (now != null) {
            now = null;
            LOG.info("{} is available again", what);
        }
        return true;
    }
}
