package io.sluice.node.access;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.auth.AuthUnreadableException;
import io.sluice.node.gateway.auth.WatchedFile;
import io.sluice.rules.watch.Looks;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The bearer tokens in a file, watched for changes. If the file becomes unusable, the last good tokens stay valid. Thread-safe. */
public final class BearerTokens implements AutoCloseable {

    private final WatchedFile<TokenSet> file;

    private BearerTokens(WatchedFile<TokenSet> file) {
        this.file = file;
    }

    /** Reads the file and watches it. Throws if its initial content is bad. */
    public static BearerTokens open(Path path, Clock clock) throws AuthUnreadableException {
        return open(path, Looks.onThread("sluice-tokens", clock, Looks.OFTEN));
    }

    static BearerTokens open(Path path, Looks looks) throws AuthUnreadableException {
        return new BearerTokens(WatchedFile.open(path, text -> TokenSet.read(path.toString(), text), looks));
    }

    /** Returns whether the values of the Authorization header of a request are one valid token. */
    public boolean admits(List<String> authorizations) {
        return file.latest().admits(authorizations);
    }

    /** Returns the current problem with the file, as a sentence; empty if there is none. */
    public Optional<String> finding() {
        return Optional.of(file.fault())
                .filter(fault -> !fault.isEmpty())
                .map(fault -> "tokens unusable, the last good ones stay valid: " + fault);
    }

    @Override
    public void close() {
        file.close();
    }
}
