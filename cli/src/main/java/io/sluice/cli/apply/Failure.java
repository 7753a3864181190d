package io.sluice.cli.apply;

import java.io.PrintWriter;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;

/** Prints the reason for the failure of a command. */
public final class Failure {

    private Failure() {}

    /** Prints the reason and returns the exit code. */
    public static int print(CommandSpec spec, CenterCallException failure) {
        PrintWriter err = spec.commandLine().getErr();
        failure.details().forEach(err::println);
        err.println("sluice: " + failure.getMessage());
        return ExitCode.SOFTWARE;
    }
}
