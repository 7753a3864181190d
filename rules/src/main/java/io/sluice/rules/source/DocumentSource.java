package io.sluice.rules.source;

import java.time.Duration;
import java.util.List;
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
     * @param known the revision that was read last; null if none was. A source that still has this revision may answer {@link
     *     DocumentReading.Unchanged}
     */
    DocumentReading read(@Nullable Object known);

    /** Starts to announce changes, in addition to the readings that are due anyway. The announcement never blocks. */
    default void watch(Runnable changed) {}

    /** Returns the time from the end of one reading to the next; zero if documents are read only on demand. */
    default Duration every() {
        return Duration.ofSeconds(2);
    }

    /** Returns the sentences about this source in logs and findings. */
    default SourceWords words() {
        return SourceWords.of(name());
    }

    /** Returns the problems that only this source knows, as sentences. */
    default List<String> findings() {
        return List.of();
    }

    @Override
    default void close() {}
}
