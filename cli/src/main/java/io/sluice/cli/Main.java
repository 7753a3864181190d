package io.sluice.cli;

import io.sluice.cli.apply.ApplyCommand;
import io.sluice.cli.apply.DiffCommand;
import io.sluice.cli.audit.AuditCommand;
import io.sluice.cli.check.ExplainCommand;
import io.sluice.cli.check.LintCommand;
import io.sluice.cli.imports.ImportCommand;
import io.sluice.cli.record.VerifyCommand;
import io.sluice.cli.replay.ReplayCommand;
import java.io.PrintWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program behind {@code ./sluice}. It exits with 0 on a clean stop, 1 on a failed start or check, and 2 on bad usage. */
@Command(
        name = "sluice",
        description = "A distributed rate limiter: one rule language, one decision, many engines.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "VERB",
        commandListHeading = "%nVerbs:%n",
        subcommands = {
            StartCommand.class,
            NodeCommand.class,
            CenterCommand.class,
            LintCommand.class,
            ExplainCommand.class,
            ReplayCommand.class,
            DiffCommand.class,
            ApplyCommand.class,
            AuditCommand.class,
            ImportCommand.class,
            VerifyCommand.class,
            NotBuiltCommand.Bench.class
        })
public final class Main implements Runnable {

    /** The message of picocli for {@code --attr ip} in place of {@code --attr ip=203.0.113.7}. */
    private static final Pattern NO_PAIR = Pattern.compile("Value for option (?:option )?'(?<option>--[\\w-]+)'.*? "
            + "\\((?<label>.*?)\\) should be in KEY=VALUE.* format but was (?<value>.*)");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        CommandLine command = commandLine();
        // Commands print to the real standard error, so take it before the log replaces it.
        PrintWriter err = command.getErr();
        Logs.begin();
        int code = run(command, args, err);
        Logs.end();
        System.exit(code);
    }

    private static int run(CommandLine command, String[] args, PrintWriter err) {
        try {
            return command.execute(args);
        } catch (Error e) {
            err.println("sluice: unexpected error: " + e + " (this is a bug; please report it)");
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setDefaultValueProvider(new Surroundings(System.getenv(), System.getProperties()))
                .setParameterExceptionHandler(Main::badUsage)
                .setExecutionExceptionHandler(Main::unexpected);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "verb: missing (expected: one of the verbs below)");
    }

    private static int badUsage(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("sluice: " + message(failure));
        if (command.getParent() == null) {
            command.usage(err);
        } else {
            err.println("sluice: see ./" + command.getCommandSpec().qualifiedName() + " --help");
        }
        return CommandLine.ExitCode.USAGE;
    }

    /** Returns the message. Rewrites picocli's message for a value that is not a pair to the form of all other messages. */
    private static String message(ParameterException failure) {
        Matcher pair = NO_PAIR.matcher(String.valueOf(failure.getMessage()));
        return pair.matches()
                ? pair.group("option") + ": " + pair.group("value") + " (expected: " + pair.group("label") + ")"
                : String.valueOf(failure.getMessage());
    }

    private static int unexpected(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println("sluice: unexpected error: " + failure + " (this is a bug; please report it)");
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Reads the version from the jar's manifest. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {"sluice " + text()};
        }

        static String text() {
            String version = Main.class.getPackage().getImplementationVersion();
            return version == null ? "development" : version;
        }
    }
}
