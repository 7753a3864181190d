package io.sluice.cli;

import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleDocument.Accepted;
import io.sluice.rules.RuleDocument.Refused;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "lint",
        description = "Checks rule documents: FILE:LINE:COL: message for every error, exit 1 if any.",
        mixinStandardHelpOptions = true)
final class LintCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "rule documents, YAML or JSON; a directory is one set")
    private final List<Path> files = new ArrayList<>();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        int exit = CommandLine.ExitCode.OK;
        for (Path file : files) {
            RuleDocument document = RuleDocument.read(file);
            if (document instanceof Refused refused) {
                refused.errors().forEach(out::println);
                exit = CommandLine.ExitCode.SOFTWARE;
            } else {
                int count = ((Accepted) document).rules().size();
                out.println(file + ": no errors, " + count + (count == 1 ? " rule" : " rules"));
            }
        }
        out.flush();
        return exit;
    }
}
