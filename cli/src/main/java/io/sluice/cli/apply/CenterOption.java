package io.sluice.cli.apply;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.source.FileRuleSource;
import io.sluice.runtime.center.CenterAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The flags that name a document and a center. */
final class CenterOption {

    private static final int LONGEST_TOKEN = 1_000;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "a rule document in YAML or JSON, or a directory of rule documents")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path file;

    @Option(
            names = "--center",
            paramLabel = "URL",
            description = "address of the center (default: http://127.0.0.1:8083)")
    private String center = "http://127.0.0.1:8083";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with a token of the center (default: admin-token in the directory of --data)")
    private @Nullable Path tokenFile;

    @Option(names = "--data", paramLabel = "DIR", description = "directory of a center on this machine (default: data)")
    private @Nullable Path data;

    Path file() {
        return file;
    }

    CenterClient client() {
        Path from = tokenFile == null ? DataFolder.token(data) : tokenFile;
        try {
            return new CenterClient(CenterAddress.of(center, from).origin(), token(from));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** Returns the rules of the document; empty if it has errors, which are printed. */
    Optional<List<Rule>> rules() {
        RuleDocument document = FileRuleSource.read(file);
        PrintWriter err = spec.commandLine().getErr();
        document.warnings().forEach(warning -> {
            String place = warning.toString();
            err.println(
                    place.substring(0, place.length() - warning.message().length()) + "warning: " + warning.message());
        });
        if (document instanceof RuleDocument.Accepted accepted) {
            return Optional.of(accepted.rules());
        }
        var errors = ((RuleDocument.Refused) document).errors();
        if (errors.stream().allMatch(error -> error.line() == 0)) {
            throw new ParameterException(spec.commandLine(), errors.get(0).toString());
        }
        errors.forEach(err::println);
        return Optional.empty();
    }

    private String token(Path from) {
        try {
            String token = Files.size(from) > LONGEST_TOKEN
                    ? ""
                    : Files.readString(from, StandardCharsets.US_ASCII).strip();
            if (!token.isEmpty() && token.chars().allMatch(each -> each > ' ' && each < 127)) {
                return token;
            }
        } catch (IOException e) {
            // The file is not readable, which is the same to the user.
        }
        throw new ParameterException(
                spec.commandLine(),
                "--token-file: " + from + " has no readable token (expected: the file that the center printed at"
                        + " its start)");
    }
}
