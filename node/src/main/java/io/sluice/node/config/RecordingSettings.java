package io.sluice.node.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of a node's recording and of its size. Immutable.
 *
 * @param directory a directory that no other process uses
 * @param maxSize the maximum number of bytes of two files that belong together; then the next two start
 * @param maxAge the time after which the next two files start
 * @param maxTotal the maximum number of bytes of all files; the oldest are deleted first
 * @param keep the time for which files are kept
 * @param plain the attributes whose values are recorded unchanged
 */
public record RecordingSettings(
        Path directory, long maxSize, Duration maxAge, long maxTotal, Duration keep, Set<String> plain) {

    public static final long USUAL_SIZE = 64L << 20;
    public static final Duration USUAL_AGE = Duration.ofHours(1);
    public static final long USUAL_TOTAL = 1L << 30;
    public static final Duration USUAL_KEEP = Duration.ofDays(7);

    public static final long LEAST_SIZE = 256L << 10;
    public static final long MOST_SIZE = 1L << 40;
    public static final Duration SHORTEST_AGE = Duration.ofMinutes(1);
    public static final Duration LONGEST_AGE = Duration.ofDays(7);
    public static final Duration SHORTEST_KEEP = Duration.ofHours(1);
    public static final Duration LONGEST_KEEP = Duration.ofDays(1_000);

    public RecordingSettings {
        plain = Set.copyOf(plain);
        if (maxSize < LEAST_SIZE || maxSize > MOST_SIZE) {
            throw new IllegalArgumentException("max_size: " + maxSize + " (expected: 256KB to 1024GB, such as 64MB)");
        }
        if (maxTotal < 2 * maxSize || maxTotal > 2 * MOST_SIZE) {
            throw new IllegalArgumentException(
                    "max_total: " + maxTotal + " (expected: at least twice max_size, such as 1GB)");
        }
        if (maxAge.compareTo(SHORTEST_AGE) < 0 || maxAge.compareTo(LONGEST_AGE) > 0) {
            throw new IllegalArgumentException("max_age: " + maxAge + " (expected: 1m to 7d, such as 1h)");
        }
        if (keep.compareTo(SHORTEST_KEEP) < 0 || keep.compareTo(LONGEST_KEEP) > 0) {
            throw new IllegalArgumentException("keep: " + keep + " (expected: 1h to 1000d, such as 7d)");
        }
    }

    /** Returns the default settings for a directory. */
    public static RecordingSettings in(Path directory) {
        return new RecordingSettings(directory, USUAL_SIZE, USUAL_AGE, USUAL_TOTAL, USUAL_KEEP, Set.of());
    }
}
