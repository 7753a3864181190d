package io.sluice.cli.apply;

import io.sluice.runtime.center.CenterAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flags that name a center. */
public abstract class CenterAccess {

    private static final int LONGEST_TOKEN = 1_000;
    private static final String USUAL = "http://127.0.0.1:8083";

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    protected CommandSpec spec;

    @Option(
            names = "--center",
            paramLabel = "URL",
            description = "address of the center (default: http://127.0.0.1:8083)")
    private @Nullable String center;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with a token of the center (default: admin-token in the directory of --data)")
    private @Nullable Path tokenFile;

    @Option(
            names = "--center-ca",
            paramLabel = "FILE",
            description = "PEM file with the certificate of the center or of its authority (default: the authorities of"
                    + " the JVM)")
    private @Nullable Path authorities;

    @Option(names = "--data", paramLabel = "DIR", description = "directory of a center on this machine (default: data)")
    private @Nullable Path data;

    /** Returns the directory of the center on this machine, unless the user names another center without a directory. */
    public Optional<Path> ownData() {
        return data == null && center != null ? Optional.empty() : Optional.of(DataFolder.or(data));
    }

    /** Returns the directory that the user names. */
    public Optional<Path> namedData() {
        return Optional.ofNullable(data);
    }

    /**
     * Returns a client with the token of the user.
     *
     * @throws ParameterException if a flag is invalid
     */
    public CenterClient client() {
        Path from = tokenFile == null ? DataFolder.token(data) : tokenFile;
        try {
            return new CenterClient(
                    CenterAddress.of(center == null ? USUAL : center, from).trusting(Optional.ofNullable(authorities)),
                    token(from));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
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
            // For the user, an unreadable file is the same as a missing token.
        }
        throw new ParameterException(
                spec.commandLine(),
                "--token-file: " + from + " has no readable token (expected: the file that the center printed at"
                        + " its start)");
    }
}
