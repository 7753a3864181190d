package io.sluice.cli.record;

import io.sluice.history.CheckReport;
import io.sluice.history.RecordingCheck;
import io.sluice.history.RecordingReport;
import io.sluice.history.Violation;
import io.sluice.rules.json.JsonLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "verify",
        description = {
            "Judges recordings of ./sluice node --record: whether any limit was exceeded. Recordings of nodes that share a"
                    + " Redis are judged together; put their directories into one.",
            "Exit 0 if nothing was exceeded, 1 if something was, 2 on bad usage, 3 if nothing was exceeded but not everything"
                    + " could be judged, because decisions are missing or a file is damaged."
        },
        mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {

    private static final int INCOMPLETE = 3;

    /** The share of the memory for events. The rest is for everything else. */
    private static final double SHARE_OF_MEMORY = 0.5;

    private static final long LEAST_AT_ONCE = 50_000;
    private static final int MOST_NAMED = 8;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "the directory of --record, or one with several of them")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Option(
            names = "--events-at-once",
            paramLabel = "NUMBER",
            description =
                    "how many events to hold in memory, about " + RecordingCheck.BYTES_OF_EVENT
                            + " bytes each; with more, the files are read several times (default: half of the memory of the JVM)")
    private @Nullable Long eventsAtOnce;

    @Override
    public Integer call() {
        if (!Files.isDirectory(folder)) {
            throw usage(
                    shown(folder.toString()) + ": not a directory (expected: the directory of ./sluice node --record)");
        }
        long atOnce = eventsAtOnce == null
                ? Math.max(LEAST_AT_ONCE, (long)
                        (Runtime.getRuntime().maxMemory() * SHARE_OF_MEMORY / RecordingCheck.BYTES_OF_EVENT))
                : eventsAtOnce;
        if (atOnce < 1) {
            throw usage("--events-at-once: " + atOnce + " (expected: a positive number such as 1000000)");
        }
        RecordingReport report;
        try {
            report = new RecordingCheck(atOnce).check(folder);
        } catch (IOException e) {
            spec.commandLine().getErr().println("sluice: " + shown(String.valueOf(e.getMessage())));
            return INCOMPLETE;
        }
        if (report.files() == 0) {
            throw usage(
                    shown(folder.toString()) + ": no recording (expected: files that ./sluice node --record wrote)");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(report));
        } else {
            print(report, out);
        }
        out.flush();
        return switch (report.verdict()) {
            case CLEAN -> ExitCode.OK;
            case VIOLATED -> ExitCode.SOFTWARE;
            case INCOMPLETE -> INCOMPLETE;
        };
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static void print(RecordingReport report, PrintWriter out) {
        CheckReport check = report.check();
        row(
                out,
                "recording",
                count(report.files(), "file") + " of " + count(report.runs(), "run") + ", " + size(report.bytes()));
        if (report.first().isPresent() && report.last().isPresent()) {
            Instant from = report.first().get().truncatedTo(ChronoUnit.SECONDS);
            Instant to = report.last().get().truncatedTo(ChronoUnit.SECONDS);
            row(out, "span", from + " to " + to + ", " + span(Duration.between(from, to)));
        }
        row(out, "decisions", grouped(report.decisions()));
        if (report.settlements() > 0) {
            row(out, "settled", count(report.settlements(), "reservation") + " on counts");
        }
        row(out, "limits", limits(report));
        row(
                out,
                "judged",
                count(check.steps(), "step") + " on counts, " + count(check.answers(), "answer") + " from the store, "
                        + count(check.spends(), "use") + " of leases");
        row(
                out,
                "gaps",
                report.gaps() == 0 && report.lost() == 0
                        ? "none"
                        : grouped(report.gaps()) + ", in which " + count(report.lost(), "event") + " "
                                + (report.lost() == 1 ? "is" : "are") + " missing");
        report.remarks().forEach(remark -> row(out, "note", shown(remark)));
        report.unjudged().forEach(reason -> row(out, "not judged", shown(reason)));
        check.violations().forEach(violation -> row(out, "VIOLATION", shown(violation.toString())));
        if (check.found() > check.violations().size()) {
            row(
                    out,
                    "VIOLATION",
                    "and " + grouped(check.found() - check.violations().size()) + " more");
        }
        out.println(
                switch (report.verdict()) {
                    case CLEAN -> "No limit was exceeded.";
                    case VIOLATED ->
                        "Something was exceeded or contradicts the limits: " + count(check.found(), "violation") + ".";
                    case INCOMPLETE ->
                        "No limit was exceeded as far as the recording tells, but not everything could be judged.";
                });
    }

    /** Returns a line in printable form, because a recording could contain any characters. */
    private static String shown(String line) {
        StringBuilder text = new StringBuilder();
        line.codePoints().forEach(each -> {
            boolean hidden = Character.isISOControl(each) || Character.getType(each) == Character.FORMAT;
            text.appendCodePoint(hidden ? '?' : each);
        });
        return text.toString();
    }

    private static String limits(RecordingReport report) {
        String some = report.limits().stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        int more = report.limits().size() - MOST_NAMED;
        return report.limits().isEmpty()
                ? "none"
                : grouped(report.limits().size()) + ": " + shown(some) + (more > 0 ? " and " + more + " more" : "");
    }

    private static void row(PrintWriter out, String name, String text) {
        out.println(String.format(Locale.ROOT, "%-12s", name) + text);
    }

    private static String count(long number, String what) {
        return grouped(number) + " " + what + (number == 1 ? "" : "s");
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String size(long bytes) {
        return bytes < 1 << 20
                ? String.format(Locale.ROOT, "%.1f KB", bytes / 1024.0)
                : String.format(Locale.ROOT, "%,.1f MB", bytes / 1024.0 / 1024.0);
    }

    private static String span(Duration span) {
        long seconds = span.toSeconds();
        return seconds < 120
                ? count(seconds, "second")
                : seconds < 7_200 ? count(seconds / 60, "minute") : count(seconds / 3_600, "hour");
    }

    private static String json(RecordingReport report) {
        CheckReport check = report.check();
        List<String> violations =
                check.violations().stream().map(Violation::toString).toList();
        return new JsonLine()
                .begin()
                .field("verdict", report.verdict().word())
                .field("files", report.files())
                .field("bytes", report.bytes())
                .field("runs", report.runs())
                .field("from", report.first().map(Instant::toString).orElse(null))
                .field("to", report.last().map(Instant::toString).orElse(null))
                .field("decisions", report.decisions())
                .field("settlements", report.settlements())
                .field("limits", List.copyOf(report.limits()))
                .field("steps", check.steps())
                .field("gaps", report.gaps())
                .field("lost", report.lost())
                .field("missing", check.missing())
                .field("found", check.found())
                .field("violations", violations)
                .field("not_judged", report.unjudged())
                .field("notes", report.remarks())
                .end()
                .toString();
    }
}
