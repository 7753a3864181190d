package io.sluice.cli.replay;

import io.sluice.cli.terminal.Terminal;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.replay.advice.Advice;
import io.sluice.replay.advice.AdviceJson;
import io.sluice.replay.advice.Advisor;
import io.sluice.replay.log.LogFormat;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.report.ReplayJson;
import io.sluice.replay.report.ReplayPage;
import io.sluice.replay.run.LogSummary;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "replay",
        description = {
            "Shows what rules would have done with the requests of access logs.",
            "Exit 0 if the logs were replayed, 1 if the rules have errors, 2 on bad usage, such as a log that is missing."
        },
        mixinStandardHelpOptions = true)
public final class ReplayCommand implements Callable<Integer> {

    private static final String STANDARD_INPUT = "-";

    /** The maximum number of files whose guessed format is printed. */
    private static final int TOLD_FILES = 5;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--rules",
            paramLabel = "FILE-or-DIR",
            required = true,
            description = "a rule document, or a directory of rule documents")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path rules;

    @Option(
            names = "--against",
            paramLabel = "FILE-or-DIR",
            description = "other rules for the same requests; shows which requests they decide differently")
    private @Nullable Path against;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "combined, common, envoy, envoy-json, alb, csv, jsonl, sluice, or a log_format of nginx in quotes;"
                            + " guessed from the first lines if absent")
    private @Nullable String format;

    @Option(
            names = "--field",
            paramLabel = "ATTRIBUTE=FIELD",
            description =
                    "the field of the log that has an attribute, such as ip=client.address or user=$http_x_user; also for"
                            + " time, status, duration (seconds), duration_ms and request; repeat for each")
    private final Map<String, String> fields = new LinkedHashMap<>();

    @Option(
            names = "--time",
            paramLabel = "FIELD",
            description = "the field of the log that has the time; like --field time=FIELD")
    private @Nullable String time;

    @Option(
            names = "--attr",
            paramLabel = "NAME=VALUE",
            description = "an attribute of every request, such as service=user-service; repeat for each")
    private final Map<String, String> attributes = new LinkedHashMap<>();

    @Option(
            names = "--max-keys",
            paramLabel = "N",
            description =
                    "how many callers have counts of their own (default: 1000000); the report says if there are more")
    private long maxKeys = LocalEngine.DEFAULT_MAX_KEYS;

    @Option(names = "--json", description = "print one JSON object instead of tables")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "also write a page with charts, which needs no network")
    private @Nullable Path html;

    @Mixin
    private final SuggestOptions suggest = new SuggestOptions();

    @Parameters(
            paramLabel = "LOG",
            arity = "1..*",
            description =
                    "access logs, plain or compressed with gzip or zstd, in any order; directories of recordings (node --record);"
                            + " - reads standard input")
    private final List<String> logs = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        Optional<RuleSet> set = read(rules);
        Path otherPath = against;
        Optional<RuleSet> other = otherPath == null ? Optional.empty() : read(otherPath);
        if (set.isEmpty() || (otherPath != null && other.isEmpty())) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (maxKeys < 1 || maxKeys > Integer.MAX_VALUE) {
            throw bad("--max-keys: " + maxKeys + " (expected: 1.." + Integer.MAX_VALUE + ")");
        }
        suggest.withoutSuggest().ifPresent(option -> {
            throw bad(option + ": without --suggest (expected: both, or none of them)");
        });
        if (suggest.isGiven()) {
            return advise(set.get());
        }
        Replay replay = new Replay(set.get(), other.orElse(null), maxKeys);
        ReplayResult result = run(replay);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(ReplayJson.of(result));
        } else {
            new ReplayText(out, spec.commandLine().getColorScheme().ansi()).print(result);
        }
        out.flush();
        Path page = html;
        if (page != null) {
            write("--html", page, ReplayPage.of(result, rules.toString()), "the page is in ");
        }
        return CommandLine.ExitCode.OK;
    }

    private int advise(RuleSet set) throws IOException {
        if (against != null) {
            throw bad("--against: together with --suggest (expected: one of them)");
        }
        for (String log : logs) {
            if (log.equals(STANDARD_INPUT) || (Files.exists(Path.of(log)) && !Files.isRegularFile(Path.of(log)))) {
                throw bad("LOG: " + log + " (expected: files, because --suggest reads them several times)");
            }
        }
        Advice advice = advice(set);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(AdviceJson.of(advice));
        } else {
            new AdviceText(out, spec.commandLine().getColorScheme().ansi()).print(advice);
            if (suggest.out().isEmpty()) {
                out.println();
                out.print(advice.document());
            }
        }
        out.flush();
        suggest.out().ifPresent(file -> write("--out", file, advice.document(), "the rules are in "));
        Path page = html;
        if (page != null) {
            write("--html", page, ReplayPage.of(advice.result(), "the suggested rules"), "the page is in ");
        }
        return CommandLine.ExitCode.OK;
    }

    private Advice advice(RuleSet set) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        Advisor advisor;
        try {
            advisor = new Advisor(set, suggest.goal(), maxKeys);
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()));
        }
        Set<String> wanted = advisor.attributes();
        List<ProgressBar> bars = new ArrayList<>();
        AtomicInteger pass = new AtomicInteger();
        boolean shown = Terminal.isErr();
        Advice advice = advisor.advise(
                () -> {
                    LogReader log = open(wanted);
                    bars.forEach(ProgressBar::end);
                    bars.clear();
                    if (shown) {
                        bars.add(new ProgressBar(err, Clock.system(), "pass " + pass.incrementAndGet() + "  "));
                    }
                    return log;
                },
                (requests, log) -> bars.forEach(bar -> bar.at(requests, log)));
        bars.forEach(ProgressBar::end);
        LogSummary read = advice.result().log();
        if (format == null) {
            read.formats().forEach((file, guessed) -> err.println("sluice: " + file + ": read as " + guessed));
        }
        read.firstUnreadable().forEach(err::println);
        read.firstLate().forEach(err::println);
        err.flush();
        return advice;
    }

    private Optional<RuleSet> read(Path path) {
        RuleDocument document = FileDocuments.read(path);
        if (document instanceof Refused refused) {
            if (DocumentError.areUnreadable(refused.errors())) {
                throw bad(refused.errors().get(0).toString());
            }
            refused.errors().forEach(spec.commandLine().getErr()::println);
            return Optional.empty();
        }
        return Optional.of(new RuleSet(1, ((Accepted) document).rules()));
    }

    private ReplayResult run(Replay replay) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        try (LogReader log = open(replay.attributes())) {
            if (format == null) {
                tellFormats(log.formats());
            }
            ProgressBar bar = Terminal.isErr() ? new ProgressBar(err, Clock.system()) : null;
            ReplayResult result = replay.run(log, bar == null ? (requests, any) -> {} : bar);
            if (bar != null) {
                bar.end();
            }
            log.problems().firstUnreadable().forEach(err::println);
            log.problems().firstLate().forEach(err::println);
            err.flush();
            return result;
        }
    }

    private void tellFormats(Map<String, String> formats) {
        PrintWriter err = spec.commandLine().getErr();
        formats.entrySet().stream()
                .limit(TOLD_FILES)
                .forEach(file -> err.println("sluice: " + file.getKey() + ": read as " + file.getValue()));
        if (formats.size() > TOLD_FILES) {
            Map<String, Long> others = formats.values().stream()
                    .skip(TOLD_FILES)
                    .collect(Collectors.groupingBy(guessed -> guessed, TreeMap::new, Collectors.counting()));
            others.forEach((guessed, count) -> err.println("sluice: " + count + " more: read as " + guessed));
        }
        err.flush();
    }

    private LogReader open(Set<String> wanted) throws IOException {
        Map<String, String> mapping = new HashMap<>(fields);
        if (time != null) {
            mapping.put("time", time);
        }
        if (logs.stream().filter(STANDARD_INPUT::equals).count() > 1) {
            throw bad("LOG: - is given twice (expected: standard input once)");
        }
        List<LogInput> inputs = new ArrayList<>();
        for (String log : logs) {
            if (log.equals(STANDARD_INPUT)) {
                inputs.add(LogInput.once("standard input", System.in));
            } else if (Files.isDirectory(Path.of(log))) {
                List<LogInput> recorded = LogInput.recordedIn(Path.of(log));
                if (recorded.isEmpty()) {
                    throw bad(log
                            + ": a directory without recordings (expected: one of node --record, or log files, such as "
                            + log + "/*.log)");
                }
                inputs.addAll(recorded);
            } else {
                inputs.add(LogInput.of(Path.of(log)));
            }
        }
        try {
            return LogReader.open(
                    inputs,
                    new LogOptions(
                            Optional.ofNullable(format).map(LogFormat::of),
                            mapping,
                            attributes,
                            wanted,
                            LogOptions.DEFAULT_ORDER_BYTES));
        } catch (NoSuchFileException e) {
            throw bad(e.getFile() + ": no such file (expected: an access log)");
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw bad("cannot read the logs: " + e + " (expected: readable files)");
        }
    }

    private void write(String option, Path file, String content, String what) {
        try {
            Files.writeString(file, content);
        } catch (IOException e) {
            throw bad(option + ": cannot write " + file + ": " + e + " (expected: a file in a directory that exists)");
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println("sluice: " + what + file);
        err.flush();
    }

    private ParameterException bad(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
