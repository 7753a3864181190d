package io.sluice.cli;

import io.sluice.center.Center;
import io.sluice.center.CenterMaintenance;
import io.sluice.center.CenterMaintenance.AdminLink;
import io.sluice.center.CenterMaintenance.InForce;
import io.sluice.center.CenterSettings;
import io.sluice.center.MaintenanceFailedException;
import io.sluice.cli.terminal.Terminal;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "center",
        description = {
            "Runs the center, the control plane: it checks changes of rules, releases them, and follows the nodes.",
            "Its subcommands work on its data. export, backup, check-sign-in, reset-admin, token and rotate-audit-key may run beside"
                    + " it;"
                    + " stop it for the others."
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "[COMMAND]")
final class CenterCommand implements Callable<Integer> {

    private static final int LONGEST_NAME = 60;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final Flags flags = new Flags();

    @Mixin
    private final CenterOptions center = new CenterOptions();

    /** The flags that a center shares with nodes. */
    static final class Flags extends CommonOptions {}

    @Override
    public Integer call() {
        Logs.set(flags.logFormat, flags.logLevel);
        Foreground foreground = new Foreground(spec);
        try {
            ConfigFile config = flags.file();
            CenterSettings settings = center.settings(flags, config);
            return foreground.run(() -> {
                Center running = Center.open(settings);
                return new Foreground.Started(
                        running,
                        () -> Screen.show(
                                spec.commandLine().getOut(),
                                CenterPlace.of(running, settings),
                                Terminal.likesColour(System.getenv())));
            });
        } catch (ConfigRefusedException e) {
            return foreground.failed(e);
        }
    }

    @Command(
            name = "export",
            description = "Writes everything that a center stores to one file, readable for its owner alone.",
            mixinStandardHelpOptions = true)
    int export(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Parameters(paramLabel = "FILE", description = "the file to write; an existing one is replaced")
                    Path file) {
        return maintain(flags, center, data -> {
            data.export(file);
            return "exported to " + file;
        });
    }

    @Command(
            name = "import",
            description = "Fills an empty database with an export, also of another kind of database.",
            mixinStandardHelpOptions = true)
    int restoreExport(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Parameters(paramLabel = "FILE", description = "a file that export or backup wrote") Path file) {
        CommonOptions.file(flags.spec, "FILE", file, "a file that export or backup wrote");
        return maintain(flags, center, data -> "imported " + file + ": " + words(data.restore(file)));
    }

    @Command(
            name = "backup",
            description = "Writes everything that a center stores to the directory backups below --data.",
            mixinStandardHelpOptions = true)
    int backUp(@Mixin Flags flags, @Mixin CenterOptions center) {
        return maintain(flags, center, data -> "saved to " + data.backUp());
    }

    @Command(name = "restore", description = "Fills an empty database with a backup.", mixinStandardHelpOptions = true)
    int restore(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Parameters(paramLabel = "FILE", description = "a file that backup or export wrote") Path file) {
        CommonOptions.file(flags.spec, "FILE", file, "a file that backup or export wrote");
        return maintain(flags, center, data -> "restored " + file + ": " + words(data.restore(file)));
    }

    @Command(
            name = "rebuild",
            description = "Takes over the rules in force in Redis (--redis), with their version, after the loss of the"
                    + " database.",
            mixinStandardHelpOptions = true)
    int rebuild(@Mixin Flags flags, @Mixin CenterOptions center) {
        return maintain(flags, center, data -> "rebuilt from Redis: " + words(data.rebuild()));
    }

    @Command(
            name = "reset-admin",
            description = {
                "Prints a link that sets an administrator up again, good for one use within an hour.",
                "The account is enabled, has all rights, and its password and sessions end. The log of commands has it."
            },
            mixinStandardHelpOptions = true)
    int resetAdmin(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Option(
                            names = "--user",
                            paramLabel = "NAME",
                            description = "a local account, made if there is none of that name (default: the only"
                                    + " administrator)")
                    @Nullable
                    String user) {
        return maintain(flags, center, data -> {
            AdminLink made = data.resetAdmin(Optional.ofNullable(user));
            return made.user()
                            .map(name -> (made.isNew() ? "new administrator " : "administrator ") + name)
                            .orElse("first administrator")
                    + ": open this link within an hour; it works once\n" + made.link();
        });
    }

    @Command(
            name = "check-sign-in",
            description = {
                "Tries what a sign-in of a person finds at each identity server of the configuration: the entry, its groups and"
                        + " roles at LDAP servers, the addresses and the client's secret at others.",
                "Needs no password and changes nothing. Groups are masked."
            },
            mixinStandardHelpOptions = true)
    int checkSignIn(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Parameters(paramLabel = "NAME", description = "the name that the person types") String name) {
        return maintain(flags, center, data -> String.join("\n", data.checkSignIn(name)));
    }

    @Command(
            name = "token",
            description = "Makes a token for nodes, and prints it once or writes it to a file.",
            mixinStandardHelpOptions = true)
    int token(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Option(
                            names = "--scope",
                            paramLabel = "SCOPE",
                            required = true,
                            description = "node; people make the other tokens, because those have an owner")
                    String scope,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            defaultValue = "nodes",
                            description = "what the token is for (default: nodes)")
                    String name,
            @Option(
                            names = "--in",
                            paramLabel = "SPAN",
                            defaultValue = "90d",
                            description = "when it expires, at most 366d (default: 90d)")
                    String in,
            @Option(
                            names = "--out",
                            paramLabel = "FILE",
                            description = "the file to write, readable for its owner alone; an existing one is replaced"
                                    + " (default: the token is printed)")
                    @Nullable
                    Path out) {
        if (!scope.equals("node")) {
            throw new ParameterException(
                    flags.spec.commandLine(),
                    "--scope: " + PrintableText.text(scope) + " (expected: node; people make other tokens with"
                            + " POST /api/tokens)");
        }
        if (name.isBlank() || name.length() > LONGEST_NAME || !name.equals(PrintableText.text(name))) {
            throw new ParameterException(
                    flags.spec.commandLine(),
                    "--name: not usable (expected: 1 to " + LONGEST_NAME + " printable characters)");
        }
        return maintain(flags, center, data -> data.nodeToken(name, Spans.of(in), Optional.ofNullable(out))
                .orElse("token written to " + out));
    }

    @Command(
            name = "rotate-audit-key",
            description = {
                "Replaces the key that signs checkpoints of the audit log. The old key signs the new one, so nodes accept it.",
                "A running center takes the new key. Copy the file audit-key to the other centers on the same database."
            },
            mixinStandardHelpOptions = true)
    int rotateAuditKey(
            @Mixin Flags flags,
            @Mixin CenterOptions center,
            @Option(
                            names = "--lost",
                            description = "nobody has the old key any more; nodes refuse the log until audit-witness is"
                                    + " deleted from the data directory of each of them")
                    boolean lost) {
        return maintain(flags, center, data -> {
            CenterMaintenance.NewAuditKey key = data.rotateAuditKey(lost);
            return "key " + key.id() + " signs the audit log now; its public key is\n" + key.text();
        });
    }

    private interface Task {
        String run(CenterMaintenance data) throws MaintenanceFailedException;
    }

    private int maintain(Flags flags, CenterOptions center, Task task) {
        requireNoFlagsBefore(flags.spec.name());
        Logs.set(flags.logFormat, flags.logLevel);
        Foreground foreground = new Foreground(flags.spec);
        try {
            var out = flags.spec.commandLine().getOut();
            out.println(task.run(new CenterMaintenance(center.settings(flags, flags.file()))));
            out.flush();
            return ExitCode.OK;
        } catch (ConfigRefusedException e) {
            return foreground.failed(e);
        } catch (MaintenanceFailedException e) {
            return foreground.failed(e.getMessage(), List.of());
        }
    }

    /** Refuses flags before the subcommand, because they would have no effect. */
    private void requireNoFlagsBefore(String subcommand) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            throw new ParameterException(
                    spec.commandLine(),
                    option.longestName() + ": before " + subcommand + " (expected: ./sluice center " + subcommand
                            + " … " + option.longestName() + " …)");
        }
    }

    private static String words(InForce state) {
        return state.version() == 0
                ? "no rules were released yet"
                : "version " + state.version() + " with " + state.rules() + (state.rules() == 1 ? " rule" : " rules");
    }
}
