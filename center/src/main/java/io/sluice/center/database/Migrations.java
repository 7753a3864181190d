package io.sluice.center.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The migrations of this program and those of a database, compared by versions and checksums, as Flyway compares them. */
final class Migrations {

    /** The folder of the migrations on the class path. */
    static final String FOLDER = "io/sluice/center/migrations";

    /** The table in which Flyway notes the migrations of a database. */
    static final String TABLE = "sluice_schema";

    private Migrations() {}

    /** The migrations of this program, read once. */
    private static final class Known {

        static final Map<String, Integer> CHECKSUMS = read();
    }

    /**
     * Returns whether exactly the migrations of this program were applied to a database. Flyway finds the same, but needs a tenth of the
     * CPU time of a start for it. If this method returns false, Flyway migrates the database or explains what is wrong with it.
     */
    static boolean areIn(JdbcClient client) {
        Map<String, Integer> found = new HashMap<>();
        try {
            client.sql("SELECT version, checksum FROM " + TABLE + " WHERE success")
                    .query((row, number) -> found.put(row.getString("version"), row.getInt("checksum")))
                    .list();
        } catch (DataAccessException e) {
            // A new database has no such table, and Flyway explains every other failure.
            return false;
        }
        return found.equals(Known.CHECKSUMS);
    }

    private static Map<String, Integer> read() {
        Map<String, Integer> checksums = new HashMap<>();
        try {
            for (Resource file : new PathMatchingResourcePatternResolver(Migrations.class.getClassLoader())
                    .getResources("classpath:" + FOLDER + "/V*.sql")) {
                String name = Objects.requireNonNull(file.getFilename());
                checksums.put(name.substring(1, name.indexOf("__")), checksum(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the migrations cannot be read", e);
        }
        return checksums;
    }

    /** Returns the checksum that Flyway computes: over the lines, without their ends. */
    private static int checksum(Resource file) throws IOException {
        CRC32 sum = new CRC32();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(file.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                sum.update(line.getBytes(StandardCharsets.UTF_8));
            }
        }
        return (int) sum.getValue();
    }
}
