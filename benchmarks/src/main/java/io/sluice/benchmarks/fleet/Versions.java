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
 * The result of a fleet whose nodes use two versions of the function in Redis on the same counts.
 *
 * @param libraries the number of function libraries in Redis
 * @param decisions the number of decisions
 * @param report the checker's report on all nodes
 * @param histories the folder of the histories, which is kept only if they have violations
 */
public record Versions(int libraries, long decisions, CheckReport report, Path histories) {

    private static final String FUNCTION = "io/sluice/redis/internal/wire/decide.lua";

    /** Runs a fleet in which every second node has an equivalent function with a different text, and so a different name. */
    public static Versions together(String algorithm, boolean leased, double seconds) throws IOException {
        Path other = Files.createTempDirectory("sluice-version");
        Path function = other.resolve(FUNCTION);
        try (RedisServer redis = RedisServer.start()) {
            Files.createDirectories(function.getParent());
            Files.writeString(function, text() + "\n-- another version\n");
            String mine = System.getProperty("java.class.path");
            FleetReport result = Fleets.newRun(algorithm, leased, false, 1, seconds, FleetFault.NONE)
                    .patient()
                    .execute(redis, List.of(mine, other + File.pathSeparator + mine), true);
            return new Versions(
                    redis.command("FUNCTION", "LIST").list().size(),
                    result.totals().decisions(),
                    Objects.requireNonNull(result.report()),
                    result.histories());
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
