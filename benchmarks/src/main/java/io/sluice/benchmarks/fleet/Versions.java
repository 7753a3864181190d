package io.sluice.benchmarks.fleet;

import io.sluice.history.CheckReport;
import io.sluice.testkit.redis.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Two versions of the function in Redis were in use by one fleet, on the same counts.
 *
 * @param libraries how many Redis had
 * @param decisions how many there were
 * @param report the checker's word on all nodes
 * @param histories where they are, if there is something wrong with them
 */
public record Versions(int libraries, long decisions, CheckReport report, Path histories) {

    private static final String FUNCTION = "io/sluice/redis/internal/wire/decide.lua";

    /** Every second node has a function of another text, and so of another name, that does the same. */
    public static Versions together(String algorithm, boolean leased, double seconds) throws IOException {
        Path other = Files.createTempDirectory("sluice-version");
        Path function = other.resolve(FUNCTION);
        try (RedisServer redis = RedisServer.start()) {
            Files.createDirectories(function.getParent());
            Files.writeString(function, text() + "\n-- another version\n");
            String mine = System.getProperty("java.class.path");
            Logbook log = Fleets.voyage(algorithm, leased, false, 1, seconds, Mishap.NONE)
                    .patient()
                    .sail(redis, List.of(mine, other + File.pathSeparator + mine), true);
            return new Versions(
                    redis.command("FUNCTION", "LIST").list().size(),
                    log.totals().decisions(),
                    Objects.requireNonNull(log.report()),
                    log.histories());
        } finally {
            for (String part : List.of(
                    FUNCTION,
                    "io/sluice/redis/internal/wire",
                    "io/sluice/redis/internal",
                    "io/sluice/redis",
                    "io/sluice",
                    "io",
                    "")) {
                Files.deleteIfExists(other.resolve(part));
            }
        }
    }

    private static String text() throws IOException {
        try (InputStream in = Versions.class.getClassLoader().getResourceAsStream(FUNCTION)) {
            return new String(Objects.requireNonNull(in, FUNCTION).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
