package io.sluice.rules.source;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A place where rule documents are. It only reads: a {@link RuleFollower} decides when to read, judges what was read, puts it in force and
 * reports problems. To be found by the scheme of a URI, a source has a {@link DocumentSourceProvider}.
 *
 * <p>{@link #read} is called by one thread at a time. The other methods are called by any thread.
 */
public interface DocumentSource extends AutoCloseable {

    /** Returns the name in logs and findings, such as {@code Redis}. */
    String name();

    /**
     * Reads the documents. May wait for a network or a disk.
     *
     * @param known the result of the readings before. A source that still has this revision may answer {@link DocumentReading.Unchanged}
     */
    DocumentReading read(Known known);

    /**
     * The result of the readings before.
     *
     * @param revision the revision of the documents that were read last; null if there are none
     * @param hasRules whether rules of this source have been in force since the start
     * @param rules the set in force, as it was read
     * @param trial the set that some callers try, as it was read; empty if they try none
     * @param adjustments on top of both
     * @param last the last set before a restart, if known
     * @param vet checks sets that the source has to choose from
     */
    record Known(
            @Nullable Object revision,
            boolean hasRules,
            RuleSet rules,
            Optional<CallerTrial> trial,
            Adjustments adjustments,
            Optional<RuleStamp> last,
            RuleVet vet) {}

    /** Starts to announce changes, in addition to the readings that are due anyway. */
    default void watch(Watcher watcher) {}

    /** Receives the events of a source. Never blocks. */
    interface Watcher {

        /** The source answers, so it is worth waiting for the first reading. */
        void reached();

        /**
         * Something may have changed.
         *
         * @param soonest the shortest pause before the next reading
         */
        void changed(Duration soonest);
    }

    /** Returns the time from the end of one reading to the next; zero if documents are read only on demand. */
    default Duration every() {
        return Duration.ofSeconds(2);
    }

    /** Returns the sentences about this source in logs and findings. */
    default SourceWords words() {
        return SourceWords.of(name());
    }

    /** Returns whether a center can release rules to this process through this source. */
    default boolean takesReleases() {
        return false;
    }

    /** Returns whether something repairs these errors within seconds, so that a start waits for it. */
    default boolean isBeingRepaired(List<DocumentError> errors) {
        return false;
    }

    /** Returns the problems that only this source knows, as sentences. */
    default List<String> findings() {
        return List.of();
    }

    @Override
    default void close() {}
}
