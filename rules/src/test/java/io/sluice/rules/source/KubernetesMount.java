package io.sluice.rules.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Imitates what a kubelet does with a mounted ConfigMap. */
public final class KubernetesMount {

    private KubernetesMount() {}

    /** Switches {@code ..data} to another directory atomically. */
    public static void swap(Path mount, String generation) throws IOException {
        Path next = mount.resolve("..data_tmp");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, Path.of(generation));
        Files.move(next, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
