package io.sluice.cli.apply;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The directory in which a center on this machine keeps its files. */
public final class DataFolder {

    private DataFolder() {}

    /** Returns the directory that the user names, or {@code data} in the directory of {@code ./sluice}. */
    public static Path or(@Nullable Path given) {
        return given == null ? Path.of(System.getProperty("sluice.root", "")).resolve("data") : given;
    }

    /** Returns the file of the administrator's token. */
    static Path token(@Nullable Path given) {
        return or(given).resolve("admin-token");
    }
}
