package io.sluice.cli;

import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.source.FileRuleSource;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "lint",
        description = {
            "Checks rule documents and prints FILE:LINE:COL: message for every error.",
            "Exit 0 if there are no errors, 1 if there are any, 2 on bad usage."
        },
        mixinStandardHelpOptions = true)
final class LintCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "rule documents in YAML or JSON; a directory is read as one rule set")
    private final List<Path> files = new ArrayList<>();

    @Option(names = "--json", description = "print one JSON object with all errors")
    private boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<DocumentError> errors = new ArrayList<>();
        int rules = 0;
        for (Path file : files) {
            RuleDocument document = FileRuleSource.read(file);
            if (document instanceof Refused refused) {
                errors.addAll(refused.errors());
                if (!json) {
                    refused.errors().forEach(error -> out.println(shown(error)));
                }
            } else {
                int count = ((Accepted) document).rules().size();
                rules += count;
                if (!json) {
                    out.println(file + ": " + styled("no errors", Style.fg_green) + ", " + count
                            + (count == 1 ? " rule" : " rules"));
                }
            }
        }
        if (json) {
            out.println(AnswerJson.lint(errors, rules));
        }
        out.flush();
        return errors.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private String shown(DocumentError error) {
        String text = error.toString();
        String place = text.substring(0, text.length() - error.message().length());
        return styled(place, Style.bold) + error.message();
    }

    private String styled(String text, Style style) {
        Ansi ansi = spec.commandLine().getColorScheme().ansi();
        return ansi.enabled() ? style.on() + text + style.off() : text;
    }
}
