package io.sluice.cli.imports;

import io.sluice.replay.imports.ImportKind;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.redis.RedisHashes;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "import",
        description = {
            "Reads the configuration of another limiter and prints a rule document.",
            "Warnings on standard error, and comments in the document, say what differs from the original.",
            "Exit 0 if a document was printed, 1 if the configuration has errors or no limits, 2 on bad usage, such as"
                    + " a file that is missing."
        },
        mixinStandardHelpOptions = true)
public final class ImportCommand implements Callable<Integer> {

    private static final String REDIS = "redis";

    private static final ForeignFormat HASHES =
            new ForeignFormat("hashes in Redis", "keys such as rate_limit_config:7");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "KIND",
            description = "sentinel, spring-cloud-gateway, bucket4j, resilience4j, nginx, kong, apisix, envoy or redis")
    private String kind = "";

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "the configuration; for redis the address, such as redis://127.0.0.1:6379")
    private String file = "";

    @Override
    public Integer call() {
        if (kind.equals(REDIS)) {
            return fromRedis();
        }
        Optional<ImportKind> known = ImportKind.of(kind);
        if (known.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "kind: " + kind + " (expected: " + String.join(", ", ImportKind.words()) + " or " + REDIS + ")");
        }
        try {
            return print(known.get().importer().read(ForeignFile.read(path())));
        } catch (ImportRefusedException e) {
            return refuse(e.errors());
        }
    }

    private Path path() {
        try {
            return Path.of(file);
        } catch (InvalidPathException e) {
            throw new ParameterException(spec.commandLine(), "file: not a path (expected: a file to import)");
        }
    }

    private int fromRedis() {
        try {
            return print(RedisHashes.read(file));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            spec.commandLine()
                    .getErr()
                    .println("sluice: redis: cannot be read (expected: a Redis that answers at this address)");
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private int print(RuleDocument document) {
        if (document instanceof Refused refused) {
            return refuse(refused.errors());
        }
        try {
            return print(DocumentDraft.write(
                    REDIS, HASHES, draft -> ((Accepted) document).rules().forEach(draft::add)));
        } catch (ImportRefusedException e) {
            return refuse(e.errors());
        }
    }

    private int print(Imported imported) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        out.print(imported.document());
        out.flush();
        imported.warnings().forEach(warning -> err.println(warning));
        err.flush();
        return CommandLine.ExitCode.OK;
    }

    /** Prints errors. A file that could not be read at all is bad usage. */
    private int refuse(List<DocumentError> errors) {
        PrintWriter err = spec.commandLine().getErr();
        boolean unreadable = DocumentError.areUnreadable(errors);
        errors.forEach(error -> err.println((error.line() == 0 ? "sluice: " : "") + error));
        return unreadable && !kind.equals(REDIS) ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }
}
