package io.sluice.cli.apply;

import io.sluice.rules.model.Rule;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "diff",
        description = {
            "Shows what a rule document would change at a center. Changes nothing.",
            "Exit 0 with or without a difference, 1 if the document has errors or the center is unavailable, 2 on bad"
                    + " usage; with --exit-code 3 if there is a difference."
        },
        mixinStandardHelpOptions = true)
public final class DiffCommand implements Callable<Integer> {

    private static final int DIFFERENT = 3;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final CenterOption center = new CenterOption();

    @Option(names = "--exit-code", description = "exit 3 if there is a difference")
    private boolean exitCode;

    @Override
    public Integer call() {
        CenterClient client = center.client();
        Optional<List<Rule>> rules = center.rules();
        if (rules.isEmpty()) {
            return ExitCode.SOFTWARE;
        }
        PrintWriter out = spec.commandLine().getOut();
        try {
            Plan plan = Plan.of(client, rules.get());
            if (plan.isEmpty()) {
                out.println("no change: version " + plan.base() + " has the rules of " + center.file());
                return ExitCode.OK;
            }
            plan.print(out);
            out.println(
                    "apply: ./sluice apply " + center.file() + " --base " + plan.base() + " --digest " + plan.digest());
            return exitCode ? DIFFERENT : ExitCode.OK;
        } catch (CenterCallException e) {
            return Failure.print(spec, e);
        } finally {
            out.flush();
        }
    }
}
