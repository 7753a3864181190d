package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class ImportTest {

    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "nginx, import/nginx.conf",
        "sentinel, import/sentinel.json",
        "spring-cloud-gateway, import/spring-cloud-gateway.yml",
        "bucket4j, import/bucket4j.yml",
        "resilience4j, import/resilience4j.yml",
        "kong, import/kong.yaml",
        "apisix, import/apisix.yaml",
        "envoy, import/envoy.yaml",
        "envoy, envoy/edge.yaml"
    })
    void whatAnExampleBecomesHasNoErrors(String kind, String file) throws IOException {
        CommandRun run = CommandRun.of("import", kind, EXAMPLES.resolve(file)).good();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), run.out());
        assertThat(CommandRun.of("lint", rules).good().out())
                .contains("no errors")
                .doesNotContain("no errors, 0 rules", " 0 rules");
    }

    @Test
    void warningsAreOnStandardErrorAndInTheDocument() {
        CommandRun run = CommandRun.of(
                        "import", "spring-cloud-gateway", EXAMPLES.resolve("import/spring-cloud-gateway.yml"))
                .good();
        assertThat(run.err().lines())
                .isNotEmpty()
                .allMatch(line -> line.matches(".*spring-cloud-gateway\\.yml:\\d+:\\d+: warning: .+"));
        assertThat(run.out()).contains("warning: key-resolver: #{@userKeyResolver} is code");
    }

    @Test
    void theDocumentationShowsWhatIsPrinted() throws IOException {
        CommandRun run = CommandRun.of("import", "nginx", EXAMPLES.resolve("import/nginx.conf"))
                .good();
        String page = Files.readString(Path.of("..", "docs", "how-to", "import.md"));
        assertThat(page).contains("```yaml\n" + run.out().replace("../examples", "examples") + "```");
    }

    @Test
    void errorsOfAConfigurationHavePlaces() throws IOException {
        Path file = Files.writeString(folder.resolve("nginx.conf"), "http {\n  server {\n");
        CommandRun run = CommandRun.of("import", "nginx", file);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo(file + ":2:3: server: block without an end (expected: })\n");
    }

    @ParameterizedTest
    @CsvSource({"envoy, nginx.conf", "bucket4j, envoy.yaml", "nginx, kong.yaml", "apisix, kong.yaml"})
    void aConfigurationOfAnotherLimiterIsAnError(String kind, String file) {
        CommandRun run =
                CommandRun.of("import", kind, EXAMPLES.resolve("import").resolve(file));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(file + ":").contains("(expected: ");
    }

    @Test
    void badUsageExitsWithTwo() {
        CommandRun missing = CommandRun.of("import", "kong", folder.resolve("missing.yaml"));
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).startsWith("sluice: ").contains("missing.yaml: no such file");
        CommandRun unknown = CommandRun.of("import", "haproxy", folder);
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err())
                .startsWith(
                        "sluice: kind: haproxy (expected: sentinel, spring-cloud-gateway, bucket4j, resilience4j, nginx,"
                                + " kong, apisix, envoy or redis)");
        assertThat(CommandRun.of("import", "nginx").code()).isEqualTo(2);
        assertThat(CommandRun.of("import", "redis", "nonsense").code()).isEqualTo(2);
    }

    @Test
    void hashesInRedisBecomeRules() throws IOException {
        RedisServer redis = RedisServer.shared();
        CommandRun none = imported(redis);
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err())
                .contains("(expected: a configuration of hashes in Redis with keys such as rate_limit_config:7)");
        redis.command(
                "HSET",
                "rate_limit_config:7",
                "id",
                "7",
                "limitType",
                "IP",
                "limitTarget",
                "*",
                "limitCount",
                "100",
                "timeWindow",
                "60",
                "strategy",
                "SLIDING_WINDOW");
        CommandRun run = imported(redis);
        assertThat(run.out()).contains("  - id: \"7\"\n", "by: ip", "limit: 100", "window: 1m");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), run.out());
        assertThat(CommandRun.of("lint", rules).good().out()).contains("1 rule");
        redis.command("HSET", "rate_limit_config:8", "id", "8", "limitType", "NOBODY");
        CommandRun bad = imported(redis);
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.err()).contains("sluice: rate_limit_config:8: limitTarget: missing");
    }

    /** Imports again as long as a busy machine does not reach Redis in time, which is said without a hash. */
    private static CommandRun imported(RedisServer redis) {
        AtomicReference<CommandRun> last = new AtomicReference<>();
        Await.until("Redis is read", Duration.ofMinutes(5), () -> {
            CommandRun run = CommandRun.of("import", "redis", redis.uri());
            last.set(run);
            return run.code() == 0 || run.err().contains("rate_limit_config:");
        });
        return last.get();
    }
}
