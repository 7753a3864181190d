package io.sluice.replay.advice;

import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogFormat;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Traffic that is made up, so that the right numbers are known. */
final class SyntheticLog {

    /** A midnight in UTC. */
    static final long START_MILLIS = 1_794_960_000_000L;

    private final List<Line> lines = new ArrayList<>();

    private record Line(long atMillis, String user, String more) {}

    /** Adds a request, at a time from the start. */
    SyntheticLog add(long atMillis, String user) {
        return add(atMillis, user, ",,");
    }

    private SyntheticLog add(long atMillis, String user, String more) {
        lines.add(new Line(START_MILLIS + atMillis, user, more));
        return this;
    }

    SyntheticLog lasting(long atMillis, String user, long durationMillis) {
        return add(atMillis, user, durationMillis + ",,");
    }

    SyntheticLog answered(long atMillis, String user, int status) {
        return add(atMillis, user, ",," + status);
    }

    SyntheticLog asking(long atMillis, String user, long permits) {
        return add(atMillis, user, "," + permits + ",");
    }

    SyntheticLog times(int count, long atMillis, String user) {
        for (int i = 0; i < count; i++) {
            add(atMillis, user);
        }
        return this;
    }

    /** Adds a request at even distances, from a time until another. */
    SyntheticLog every(long millis, long fromMillis, long untilMillis, String user) {
        for (long at = fromMillis; at < untilMillis; at += millis) {
            add(at, user);
        }
        return this;
    }

    int requests() {
        return lines.size();
    }

    private byte[] content() {
        StringBuilder csv = new StringBuilder("time,path,user,duration_ms,permits,status\n");
        lines.stream().sorted(Comparator.comparingLong(Line::atMillis)).forEach(line -> csv.append(line.atMillis)
                .append(",/a,")
                .append(line.user)
                .append(',')
                .append(line.more)
                .append('\n'));
        return csv.toString().getBytes(StandardCharsets.UTF_8);
    }

    Advisor.Logs logs(Set<String> wanted) {
        byte[] content = content();
        return () ->
                LogReader.open(List.of(LogInput.once("synthetic", new ByteArrayInputStream(content))), options(wanted));
    }

    private static LogOptions options(Set<String> wanted) {
        LogOptions usual = LogOptions.wanting(wanted);
        return new LogOptions(
                Optional.of(LogFormat.of("csv")),
                Map.of("permits", "permits"),
                usual.constants(),
                usual.wanted(),
                usual.orderBytes());
    }

    static RuleSet rules(String rules) {
        return set("rules: [" + rules + "]");
    }

    static RuleSet set(String document) {
        RuleDocument parsed = RuleDocument.parse("rules", document);
        if (parsed instanceof RuleDocument.Accepted accepted) {
            return new RuleSet(1, accepted.rules());
        }
        throw new AssertionError(parsed.toString());
    }

    /** Advises with at most these percentages of callers and requests, null for none. */
    Advice advise(RuleSet set, String callers, String requests, String headroom) {
        return advise(set, callers, requests, headroom, AdviceGoal.DEFAULT_SPAN);
    }

    Advice advise(RuleSet set, String callers, String requests, String headroom, Duration span) {
        AdviceGoal goal = new AdviceGoal(
                Optional.ofNullable(callers).map(text -> Share.percent("callers", text, 100)),
                Optional.ofNullable(requests).map(text -> Share.percent("requests", text, 100)),
                Share.percent("headroom", headroom, 1_000),
                span);
        Advisor advisor = new Advisor(set, goal, LocalEngine.DEFAULT_MAX_KEYS);
        try {
            return advisor.advise(logs(advisor.attributes()), (count, log) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the only limit, advised without headroom. */
    LimitAdvice one(String limit, String callers) {
        return advise(rules("{ id: a, limits: [" + limit + "] }"), callers, null, "0%")
                .limits()
                .get(0);
    }

    ReplayResult replay(RuleSet set) {
        Replay replay = new Replay(set, null, LocalEngine.DEFAULT_MAX_KEYS);
        try (LogReader log = logs(replay.attributes()).open()) {
            return replay.run(log, (count, any) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
