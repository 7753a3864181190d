package io.sluice.cli.replay;

import io.sluice.replay.advice.AdviceGoal;
import io.sluice.replay.advice.Share;
import io.sluice.rules.yaml.Spans;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code --suggest}. */
final class SuggestOptions {

    private static final String DEFAULT_CALLERS = "0.1%";
    private static final String DEFAULT_HEADROOM = "25%";

    @Option(
            names = "--suggest",
            description =
                    "suggest numbers for the limits of the rules, as a rule document; reads the logs several times")
    private boolean suggest;

    @Option(
            names = "--refuse-callers",
            paramLabel = "SHARE",
            description = "with --suggest: the most callers that a limit may refuse (default: 0.1%%, unless"
                    + " --refuse-requests is given)")
    private @Nullable String callers;

    @Option(
            names = "--refuse-requests",
            paramLabel = "SHARE",
            description = "with --suggest: the most requests that a limit may refuse, such as 0.1%%")
    private @Nullable String requests;

    @Option(
            names = "--headroom",
            paramLabel = "SHARE",
            description = "with --suggest: what is added to the numbers that the log needs (default: 25%%)")
    private @Nullable String headroom;

    @Option(
            names = "--span",
            paramLabel = "TIME",
            description = "with --suggest: what is shorter is a burst, what is longer is sustained (default: 1m)")
    private @Nullable String span;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "with --suggest: write the rule document to this file instead of printing it")
    private @Nullable Path out;

    boolean isGiven() {
        return suggest;
    }

    Optional<Path> out() {
        return Optional.ofNullable(out);
    }

    /** Returns an option that was given without {@code --suggest}; empty if there is none. */
    Optional<String> withoutSuggest() {
        if (suggest) {
            return Optional.empty();
        }
        return callers != null
                ? Optional.of("--refuse-callers")
                : requests != null
                        ? Optional.of("--refuse-requests")
                        : headroom != null
                                ? Optional.of("--headroom")
                                : span != null
                                        ? Optional.of("--span")
                                        : out != null ? Optional.of("--out") : Optional.empty();
    }

    /**
     * Returns the goal.
     *
     * @throws IllegalArgumentException with the complete message, if an option is wrong
     */
    AdviceGoal goal() {
        String mostCallers = callers == null && requests == null ? DEFAULT_CALLERS : callers;
        return new AdviceGoal(
                Optional.ofNullable(mostCallers).map(text -> Share.percent("--refuse-callers", text, 100)),
                Optional.ofNullable(requests).map(text -> Share.percent("--refuse-requests", text, 100)),
                Share.percent("--headroom", headroom == null ? DEFAULT_HEADROOM : headroom, 1_000),
                span == null
                        ? AdviceGoal.DEFAULT_SPAN
                        : Spans.of("--span", span, Duration.ofSeconds(1), Duration.ofDays(1)));
    }
}
