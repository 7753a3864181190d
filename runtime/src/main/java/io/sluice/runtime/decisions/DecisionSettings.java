package io.sluice.runtime.decisions;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The selection and the destinations of logged decisions. Immutable.
 *
 * @param files the files of the log; empty for no files
 * @param kafka the topic that gets decisions; empty for none
 * @param shares the share of decisions that files and Kafka get
 * @param rules other shares, by the id of the rule
 * @param centerAllowedShare the share of allowed requests in the sample for the center, 0 to 1
 */
public record DecisionSettings(
        Optional<Files> files,
        Optional<Kafka> kafka,
        Shares shares,
        Map<String, Shares> rules,
        double centerAllowedShare) {

    /** The default share of allowed requests that is logged. */
    public static final double USUAL_ALLOWED_SHARE = 0.01;

    /** No files, no Kafka, and the default sample for the center. */
    public static final DecisionSettings NONE =
            new DecisionSettings(Optional.empty(), Optional.empty(), Shares.USUAL, Map.of(), USUAL_ALLOWED_SHARE);

    public DecisionSettings {
        rules = Map.copyOf(rules);
        check("center.allowed_share", centerAllowedShare);
    }

    private static void check(String name, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(name + ": " + share + " (expected: 0 to 1, such as 0.1)");
        }
    }

    /**
     * The shares of decisions that are logged.
     *
     * @param refused the share of refused requests, 0 to 1
     * @param allowed the share of allowed requests, 0 to 1
     */
    public record Shares(double refused, double allowed) {

        /** Every refused request, and one of a hundred allowed requests. */
        public static final Shares USUAL = new Shares(1, USUAL_ALLOWED_SHARE);

        public Shares {
            check("share", refused);
            check("allowed_share", allowed);
        }
    }

    /**
     * Files in a directory.
     *
     * @param directory a directory that no other process uses
     * @param maxSize the maximum number of bytes in one file
     * @param maxTotal the maximum number of bytes in all files; the oldest files are deleted first
     * @param keep the time for which a file is kept
     */
    public record Files(Path directory, long maxSize, long maxTotal, Duration keep) {

        public static final long USUAL_SIZE = 64L << 20;
        public static final long USUAL_TOTAL = 2L << 30;
        public static final Duration USUAL_KEEP = Duration.ofDays(180);

        /** The minimum of {@code maxSize}. */
        public static final long LEAST_SIZE = 64L << 10;

        /** The maximum of both sizes. */
        public static final long MOST_SIZE = 1L << 40;

        public static final Duration SHORTEST_KEEP = Duration.ofHours(1);
        public static final Duration LONGEST_KEEP = Duration.ofDays(1_000);

        public Files {
            if (maxSize < LEAST_SIZE || maxSize > MOST_SIZE) {
                throw new IllegalArgumentException(
                        "max_size: " + maxSize + " (expected: 64KB to 1024GB, such as 64MB)");
            }
            if (maxTotal < maxSize || maxTotal > MOST_SIZE) {
                throw new IllegalArgumentException(
                        "max_total: " + maxTotal + " (expected: max_size to 1024GB, such as 2GB)");
            }
            if (keep.compareTo(SHORTEST_KEEP) < 0 || keep.compareTo(LONGEST_KEEP) > 0) {
                throw new IllegalArgumentException("keep: " + keep + " (expected: 1h to 1000d, such as 180d)");
            }
        }
    }

    /**
     * A topic of Kafka.
     *
     * @param servers {@code host:port}, several separated by commas
     * @param properties a file with further properties of the client, such as its TLS settings
     */
    public record Kafka(String servers, String topic, Optional<Path> properties) {

        public static final String USUAL_TOPIC = "sluice-decisions";

        public Kafka {
            if (!servers.matches("[^\\s,:@/]+:[0-9]{1,5}(,[^\\s,:@/]+:[0-9]{1,5})*")) {
                throw new IllegalArgumentException("servers: not usable (expected: host:port, several with commas)");
            }
            if (!topic.matches("[A-Za-z0-9._-]{1,249}")) {
                throw new IllegalArgumentException(
                        "topic: not usable (expected: letters, digits, dots, _ and -, such as " + USUAL_TOPIC + ")");
            }
        }
    }

    /** Returns whether decisions go to files or to Kafka. */
    public boolean isLogging() {
        return files.isPresent() || kafka.isPresent();
    }
}
