package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** A verb that is planned but does not exist yet. It prints this fact for any arguments. */
abstract sealed class NotBuiltCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Unmatched
    @SuppressWarnings("UnusedVariable") // picocli fills it
    private final List<String> whatever = new ArrayList<>();

    @Override
    public Integer call() {
        spec.commandLine().getErr().println("sluice: " + spec.name() + " is not built yet");
        return CommandLine.ExitCode.USAGE;
    }

    @Command(name = "bench", description = "Runs the side-by-side benchmarks.")
    static final class Bench extends NotBuiltCommand {}
}
