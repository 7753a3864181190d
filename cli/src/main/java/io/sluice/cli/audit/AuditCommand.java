package io.sluice.cli.audit;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "audit",
        description = "Exports the audit log of a center, and verifies it on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ExportCommand.class, VerifyCommand.class})
public final class AuditCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "command: missing (expected: ./sluice audit export or ./sluice audit verify)");
    }
}
