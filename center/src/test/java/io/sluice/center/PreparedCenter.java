package io.sluice.center;

import io.sluice.center.database.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Settings of centers on the embedded database. An empty directory gets a database with all tables, so that not every test waits until they
 * are created.
 */
public final class PreparedCenter {

    private static final String FILE = "center.db";

    private PreparedCenter() {}

    /** Returns the settings of a center in a directory, which may be new. */
    public static CenterSettings in(Path data) {
        try {
            Path file = data.resolve(FILE);
            if (!Files.exists(file)) {
                Files.createDirectories(data);
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.write(file, Template.TABLES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CenterSettings.embedded(data);
    }

    /** Returns the settings of a center on a database; an empty URL means the embedded one. */
    static CenterSettings in(Path data, String url) {
        return url.isEmpty() ? in(data) : CenterSettings.embedded(data).db(url);
    }

    /** The file of a database with all tables and no rows of a center, made once per process. */
    private static final class Template {

        static final byte[] TABLES = create();

        private static byte[] create() {
            try {
                Path folder = Files.createTempDirectory("prepared-center");
                Database.open("", folder).close();
                byte[] tables = Files.readAllBytes(folder.resolve(FILE));
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
                return tables;
            } catch (Exception e) {
                throw new IllegalStateException("the database cannot be prepared", e);
            }
        }
    }
}
