package io.sluice.replay.run;

import io.sluice.replay.log.LogReader;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A summary of the logs that were read. Immutable.
 *
 * @param unreadable the number of lines that are not requests
 * @param late the number of lines that were left out, because they were more than a minute late
 * @param firstUnreadable the first few unreadable lines, with file, line and problem
 * @param damaged the files that end early
 * @param formats the format of each file
 * @param missing the attributes that rules name and no request has
 */
public record LogSummary(
        long unreadable,
        long late,
        List<String> firstUnreadable,
        List<String> firstLate,
        List<String> damaged,
        Map<String, String> formats,
        Set<String> missing) {

    public LogSummary {
        firstUnreadable = List.copyOf(firstUnreadable);
        firstLate = List.copyOf(firstLate);
        damaged = List.copyOf(damaged);
        formats = Collections.unmodifiableMap(new LinkedHashMap<>(formats));
        missing = Collections.unmodifiableSet(new TreeSet<>(missing));
    }

    static LogSummary of(LogReader log) {
        return new LogSummary(
                log.problems().unreadable(),
                log.problems().late(),
                log.problems().firstUnreadable(),
                log.problems().firstLate(),
                log.problems().damaged(),
                log.formats(),
                log.missing());
    }
}
