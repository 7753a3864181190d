package io.sluice.node.record;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name that two files of a recording share, such as {@code recording-20270131T235959Z-3f9a0c1b-000001}. Ordered by age. Immutable.
 *
 * @param begun the time at which the files were started, in seconds since 1970
 * @param run the name of the run of the process
 * @param number the number of the files in their run, from 1
 */
record RecordingName(long begun, String run, long number) implements Comparable<RecordingName> {

    static final String HISTORY = ".history";
    static final String REQUESTS = ".requests.jsonl";

    private static final Pattern FORM = Pattern.compile(
            "recording-([0-9]{8}T[0-9]{6}Z)-([0-9a-f]{8})-([0-9]{6,12})(\\.history|\\.requests\\.jsonl)");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'");
    private static final Comparator<RecordingName> AGE = Comparator.comparingLong(RecordingName::begun)
            .thenComparing(RecordingName::run)
            .thenComparingLong(RecordingName::number);

    /** Returns the name of a file; empty if it does not belong to a recording. */
    static Optional<RecordingName> of(Path file) {
        Matcher parts = FORM.matcher(String.valueOf(file.getFileName()));
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            long begun = LocalDateTime.parse(parts.group(1), TIME).toEpochSecond(ZoneOffset.UTC);
            return Optional.of(new RecordingName(begun, parts.group(2), Long.parseLong(parts.group(3))));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    Path history(Path folder) {
        return folder.resolve(this + HISTORY);
    }

    Path requests(Path folder) {
        return folder.resolve(this + REQUESTS);
    }

    @Override
    public int compareTo(RecordingName other) {
        return AGE.compare(this, other);
    }

    @Override
    public String toString() {
        return "recording-"
                + TIME.format(LocalDateTime.ofInstant(Instant.ofEpochSecond(begun), ZoneOffset.UTC))
                + "-" + run + "-" + "%06d".formatted(number);
    }
}
