package io.sluice.cli.audit;

import io.sluice.center.AuditVerdict;
import io.sluice.center.AuditVerdict.Section;
import io.sluice.center.AuditVerification;
import io.sluice.center.AuditVerification.Claim;
import io.sluice.cli.apply.CenterCallException;
import io.sluice.cli.apply.CenterClient;
import io.sluice.cli.apply.Failure;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

@Command(
        name = "verify",
        description = {
            "Verifies the audit log of a center, or an export of it, on this machine: whether each row is what was written,"
                    + " whether all rows are there, and until which row nodes have witnessed it.",
            "Exit 0 if the log is verified, 1 if something is wrong with it or the center does not answer, 2 on bad usage, 3"
                    + " if nothing is wrong but the key or a witness is missing."
        },
        mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {

    private static final int NOT_VERIFIED = 3;
    private static final int LONGEST_FILE = 65_536;
    private static final String WITNESS = "audit-witness";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final AuditCenter center = new AuditCenter();

    @Option(
            names = "--export",
            paramLabel = "FILE",
            description = "a file that ./sluice audit export wrote, in place of a center")
    private @Nullable Path export;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description =
                    "the public key of the log, noted when the center was set up: its text, or a file with it; the"
                            + " file audit-witness of a node has the key that this node trusts")
    private @Nullable String key;

    @Option(
            names = "--witness",
            paramLabel = "FILE",
            arity = "1..*",
            description = "the file audit-witness of each node, from the directory of its --data (default: that in the"
                    + " directory of --data, if it is there)")
    private final List<Path> witnesses = new ArrayList<>();

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Override
    public Integer call() {
        if (export != null && spec.commandLine().getParseResult().hasMatchedOption("--center")) {
            throw usage("--export: together with --center (expected: one of them)");
        }
        AuditVerification verification = new AuditVerification();
        // Read the witnesses before the export: otherwise a row that a node witnesses after the export would look as if
        // it had been cut off.
        readKey(verification);
        readWitnesses(verification);
        try {
            AuditVerdict verdict = export == null ? online(verification) : offline(verification, export);
            print(verdict);
            return switch (verdict.state()) {
                case VERIFIED -> ExitCode.OK;
                case NOT_VERIFIED -> NOT_VERIFIED;
                case BROKEN -> ExitCode.SOFTWARE;
            };
        } catch (CenterCallException e) {
            return Failure.print(spec, e);
        } catch (IOException e) {
            spec.commandLine().getErr().println("sluice: the export of the center: " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
    }

    private AuditVerdict offline(AuditVerification verification, Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return verification.verify(in);
        } catch (IOException e) {
            throw usage("--export: " + file + ": "
                    + (Files.isReadable(file) && Files.isRegularFile(file)
                            ? e.getMessage()
                            : "not readable (expected: a file that ./sluice audit export wrote)"));
        }
    }

    private AuditVerdict online(AuditVerification verification) throws CenterCallException, IOException {
        CenterClient client = center.client();
        try {
            for (JsonNode node : client.get("/api/nodes")) {
                claim(node).ifPresent(verification::claim);
            }
        } catch (CenterCallException e) {
            // A token for the log alone may not list the nodes. The nodes only add to the evidence of the witness
            // files.
            if (!e.isForbidden()) {
                throw e;
            }
            spec.commandLine()
                    .getErr()
                    .println("sluice: the nodes were not asked through the center: " + e.getMessage());
        }
        try (InputStream in = client.download("/api/audit/export?format=jsonl")) {
            return verification.verify(in);
        }
    }

    private static Optional<Claim> claim(JsonNode node) {
        JsonNode audit = node.path("audit");
        if (!audit.isObject()) {
            return Optional.empty();
        }
        return Optional.of(new Claim(
                "node "
                        + PrintableText.text(
                                node.path("id").asString(node.path("node").asString(""))),
                audit.path("log").asString(""),
                audit.path("size").asLong(0),
                audit.path("root").asString(""),
                audit.path("key").asString(""),
                Optional.of(audit.path("refused").asString("")).filter(why -> !why.isEmpty())));
    }

    private void readKey(AuditVerification verification) {
        if (key == null) {
            return;
        }
        try {
            verification.trust(file(key).map(this::text).orElse(key));
        } catch (IllegalArgumentException e) {
            throw usage(
                    "--key: neither a key nor a file with one (expected: the public key of the log in Base64, such as"
                            + " MCowBQYDK2VwAyEA…)");
        }
    }

    private static Optional<Path> file(String text) {
        try {
            return Optional.of(Path.of(text)).filter(Files::isRegularFile);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private void readWitnesses(AuditVerification verification) {
        List<Path> files = new ArrayList<>(witnesses);
        if (files.isEmpty()) {
            (export == null ? center.ownData() : center.namedData())
                    .map(data -> data.resolve(WITNESS))
                    .filter(Files::exists)
                    .ifPresent(files::add);
        }
        for (Path file : files) {
            try {
                verification.witness(file.toString(), text(file));
            } catch (IllegalArgumentException e) {
                throw usage(
                        "--witness: " + file + ": " + e.getMessage() + " (expected: the file audit-witness of a node)");
            }
        }
    }

    private String text(Path file) {
        try {
            if (Files.isRegularFile(file) && Files.size(file) <= LONGEST_FILE) {
                return Files.readString(file, StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            // The exception below reports it.
        }
        throw usage(file + ": not readable (expected: a text file that this user may read)");
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void print(AuditVerdict verdict) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(verdict.toJson());
        } else {
            out.println("log           " + (verdict.log().isEmpty() ? "without an id" : verdict.log()));
            section(out, "integrity", verdict.integrity());
            section(out, "completeness", verdict.completeness());
            section(out, "witnessed", verdict.witnessed());
            out.println(shown(verdict.conclusion()));
        }
        out.flush();
    }

    private static void section(PrintWriter out, String name, Section section) {
        String first = String.format("%-14s", name) + (section.good() ? "" : "BAD: ");
        for (String line : section.lines()) {
            out.println(first + shown(line));
            first = " ".repeat(14);
        }
    }

    /** Returns a line in printable form, because a damaged export or a node could contain any characters. */
    private static String shown(String line) {
        StringBuilder text = new StringBuilder();
        line.codePoints().forEach(each -> {
            boolean hidden = Character.isISOControl(each) || Character.getType(each) == Character.FORMAT;
            text.appendCodePoint(hidden ? '?' : each);
        });
        return text.toString();
    }
}
