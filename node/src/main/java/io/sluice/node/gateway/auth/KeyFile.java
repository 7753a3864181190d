package io.sluice.node.gateway.auth;

import io.sluice.rules.watch.Looks;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The issuers' keys in a file. */
final class KeyFile implements KeySupply {

    private final WatchedFile<KeyRing> file;

    private KeyFile(WatchedFile<KeyRing> file) {
        this.file = file;
    }

    static KeyFile open(Path path, Looks looks) throws AuthUnreadableException {
        return new KeyFile(WatchedFile.open(path, text -> KeyRing.read(path.toString(), text), looks));
    }

    @Override
    public KeyRing latest() {
        return file.latest();
    }

    @Override
    public CompletionStage<@Nullable KeyRing> newer() {
        return CompletableFuture.completedFuture(file.latest());
    }

    @Override
    public String fault() {
        return file.fault();
    }

    @Override
    public void close() {
        file.close();
    }
}
