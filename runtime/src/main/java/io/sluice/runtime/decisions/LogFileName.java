package io.sluice.runtime.decisions;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file with decisions, such as {@code decisions-20270131T235959Z-1.jsonl}. Ordered by age. Immutable.
 *
 * @param begun the start time of the file, in seconds since 1970
 * @param number distinguishes files of the same second
 * @param packed whether the file is compressed; its name then ends with {@code .gz}
 */
record LogFileName(long begun, int number, boolean packed) implements Comparable<LogFileName> {

    private static final Pattern FORM = Pattern.compile("decisions-([0-9]{8}T[0-9]{6}Z)-([0-9]{1,6})\\.jsonl(\\.gz)?");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'");

    static Optional<LogFileName> of(Path file) {
        Matcher parts = FORM.matcher(String.valueOf(file.getFileName()));
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            long begun = LocalDateTime.parse(parts.group(1), TIME).toEpochSecond(ZoneOffset.UTC);
            return Optional.of(new LogFileName(begun, Integer.parseInt(parts.group(2)), parts.group(3) != null));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the day on which the file was started, in days since 1970, in UTC. */
    long day() {
        return Math.floorDiv(begun, 86_400L);
    }

    @Override
    public String toString() {
        return "decisions-"
                + TIME.format(LocalDateTime.ofInstant(Instant.ofEpochSecond(begun), ZoneOffset.UTC))
                + "-" + number + ".jsonl" + (packed ? ".gz" : "");
    }

    @Override
    public int compareTo(LogFileName other) {
        int order = Long.compare(begun, other.begun);
        order = order == 0 ? Integer.compare(number, other.number) : order;
        return order == 0 ? Boolean.compare(packed, other.packed) : order;
    }
}
