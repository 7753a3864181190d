package io.sluice.cli.check;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleDocument.RulePlace;
import io.sluice.rules.review.ReviewFinding;
import io.sluice.rules.review.SetReview;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "lint",
        description = {
            "Checks rule documents and prints FILE:LINE:COL: message for every error and every warning.",
            "Exit 0 if there are no errors, 1 if there are any, 2 on bad usage, such as a file that is missing.",
            "With --watch, goes on until Ctrl-C and prints what changes; exit 0."
        },
        mixinStandardHelpOptions = true)
public final class LintCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "rule documents in YAML or JSON; a directory is read as one rule set")
    private final List<Path> files = new ArrayList<>();

    @Option(names = "--json", description = "print one JSON object with all errors and warnings")
    private boolean json;

    @Option(names = "--strict", description = "exit 1 for warnings, too")
    private boolean strict;

    @Option(
            names = "--watch",
            description = "check again whenever a file changes, and print what is new and what is fixed, until Ctrl-C")
    private boolean watch;

    @Override
    public Integer call() {
        if (watch && json) {
            throw new ParameterException(spec.commandLine(), "--watch: together with --json (expected: one of them)");
        }
        return watch ? watch() : once();
    }

    /** Checks the files after each change. Returns only if the thread is interrupted; a signal ends the process. */
    private int watch() {
        PrintWriter out = spec.commandLine().getOut();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            out.flush();
                            // Without this, the JVM would exit with the number of the signal.
                            Runtime.getRuntime().halt(CommandLine.ExitCode.OK);
                        },
                        "sluice-stop"));
        LintRounds rounds = new LintRounds(this::styled, out);
        try {
            new ChangeWatch(files).run(() -> {
                for (Path file : files) {
                    RuleDocument document = FileDocuments.read(file);
                    rounds.show(file, document, doubts(file, document));
                }
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return CommandLine.ExitCode.OK;
    }

    private int once() {
        PrintWriter out = spec.commandLine().getOut();
        List<DocumentError> errors = new ArrayList<>();
        List<DocumentError> warnings = new ArrayList<>();
        List<DocumentError> unreadable = new ArrayList<>();
        int rules = 0;
        for (Path file : files) {
            RuleDocument document = FileDocuments.read(file);
            List<DocumentError> own = document instanceof Refused refused ? refused.errors() : List.of();
            errors.addAll(own);
            List<DocumentError> doubts = doubts(file, document);
            warnings.addAll(doubts);
            if (DocumentError.areUnreadable(own)) {
                unreadable.addAll(own);
                continue;
            }
            if (document instanceof Accepted accepted) {
                rules += accepted.rules().size();
            }
            if (!json) {
                print(file, document, doubts, out);
            }
        }
        if (json) {
            out.println(AnswerJson.lint(errors, warnings, rules));
        }
        out.flush();
        return exit(errors, warnings, unreadable);
    }

    private int exit(List<DocumentError> errors, List<DocumentError> warnings, List<DocumentError> unreadable) {
        if (!unreadable.isEmpty()) {
            PrintWriter err = spec.commandLine().getErr();
            unreadable.forEach(error -> err.println("sluice: " + error));
            return CommandLine.ExitCode.USAGE;
        }
        boolean good = errors.isEmpty() && !(strict && !warnings.isEmpty());
        return good ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns the warnings of the documents, and the findings of a review of their rules as one set. */
    private static List<DocumentError> doubts(Path file, RuleDocument document) {
        List<DocumentError> doubts = new ArrayList<>(document.warnings());
        if (document instanceof Accepted accepted) {
            Instant now = Instant.EPOCH.plus(Clock.system().epochMicros(), ChronoUnit.MICROS);
            for (ReviewFinding finding : SetReview.of(new RuleSet(1, accepted.rules()), now)) {
                RulePlace place = accepted.places().get(finding.rule());
                doubts.add(
                        place == null
                                ? DocumentError.of(file.toString(), finding.toString())
                                : place.warning(finding.toString()));
            }
        }
        return doubts;
    }

    private void print(Path file, RuleDocument document, List<DocumentError> warnings, PrintWriter out) {
        if (document instanceof Refused refused) {
            refused.errors().forEach(error -> out.println(shown(error, "")));
        }
        warnings.forEach(warning -> out.println(shown(warning, styled("warning: ", Style.fg_yellow))));
        if (document instanceof Accepted accepted) {
            int count = accepted.rules().size();
            int doubts = warnings.size();
            out.println(file + ": " + styled("no errors", Style.fg_green)
                    + (doubts == 0 ? "" : doubts == 1 ? ", 1 warning" : ", " + doubts + " warnings") + ", " + count
                    + (count == 1 ? " rule" : " rules"));
        }
    }

    private String shown(DocumentError error, String kind) {
        String text = error.toString();
        String place = text.substring(0, text.length() - error.message().length());
        return styled(place, Style.bold) + kind + error.message();
    }

    private String styled(String text, Style style) {
        Ansi ansi = spec.commandLine().getColorScheme().ansi();
        return ansi.enabled() ? style.on() + text + style.off() : text;
    }
}
