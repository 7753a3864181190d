package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.link.ServerWatch;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Problems of a server are reported in sentences that tell what to do. */
final class StartChecksTest {

    /** Never mistakes a slow machine for a Redis that hangs. */
    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(Duration.ofMinutes(1));

    @Test
    void oldVersionsAndPoliciesThatEvictAreFound() {
        ServerWatch watch = new ServerWatch("host:1");
        assertThat(watch.found(Map.of("redis_version", "7.0.15", "maxmemory_policy", "noeviction")))
                .isEmpty();
        assertThat(watch.found(Map.of("redis_version", "10.1.0"))).isEmpty();
        assertThat(watch.found(Map.of("redis_version", "6.2.14", "maxmemory_policy", "volatile-ttl")))
                .containsExactly(
                        "Redis at host:1: version 6.2.14 (expected: 7.0 or newer, which has functions)",
                        "Redis at host:1: maxmemory-policy volatile-ttl may evict counts and so forget what was used"
                                + " (expected: noeviction)");
        assertThat(watch.found(Map.of("redis_version", "strange"))).isEmpty();
    }

    @Test
    void reportsMissingPasswordsAndPermissions() {
        try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
            assertSays("redis://127.0.0.1:" + server.port(), "NOAUTH", "(expected: user and password in the URI");
            assertSays(
                    "redis://:wrong@127.0.0.1:" + server.port(),
                    "WRONGPASS",
                    "(expected: user and password in the URI");
        }
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "weak", "on", ">secret", "~*", "+hello", "+auth", "+ping", "+info");
            assertSays(
                    server.uri().replace("//", "//weak:secret@"),
                    "NOPERM",
                    "fcall",
                    "(docs/how-to/redis.md lists the minimal ACL)");
        }
    }

    @Test
    void aRedisThatComesBackWithAnotherPasswordIsNamed(@TempDir Path folder) throws Exception {
        RedisServer server = RedisServer.start("--requirepass", "first");
        Process other = null;
        try (RedisEngine engine = RedisEngine.connect(server.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            server.close();
            other = new ProcessBuilder(
                            "redis-server",
                            "--port",
                            Integer.toString(server.port()),
                            "--bind",
                            "127.0.0.1",
                            "--dir",
                            folder.toString(),
                            "--save",
                            "",
                            "--requirepass",
                            "second")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                assertThat(engine.state().reason()).isEqualTo("redis-wrongpass");
                assertThat(engine.state().cause()).startsWith("WRONGPASS").contains("(expected: user and password");
            });
        } finally {
            server.close();
            if (other != null) {
                other.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void decidesOverTlsAndReportsWhatIsMissing(@TempDir Path folder) throws Exception {
        certificate(folder);
        try (RedisServer server = RedisServer.start()) {
            int tls = server.port() + 1;
            server.command("CONFIG", "SET", "tls-auth-clients", "no");
            server.command(
                    "CONFIG",
                    "SET",
                    "tls-cert-file",
                    folder.resolve("cert.pem").toString(),
                    "tls-key-file",
                    folder.resolve("key.pem").toString(),
                    "tls-port",
                    Integer.toString(tls));
            String encrypted = "rediss://127.0.0.1:" + tls;
            assertSays(encrypted, "(expected: a TLS server with a certificate that this JVM trusts)");
            assertSays("redis://127.0.0.1:" + tls, "rediss://");
            assertSays("rediss://127.0.0.1:" + server.port(), "(expected: a TLS server");
            try (RedisEngine engine =
                    RedisEngine.connect(encrypted + "?verifyPeer=NONE", "p", Clock.system(), PATIENT)) {
                engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
                Limit limit = Limit.named("x").tokenBucket(Rate.perDay(1));
                PendingOutcome pending =
                        (PendingOutcome) engine.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))));
                assertThat(((EngineDecision)
                                        pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS))
                                .allowed())
                        .isTrue();
            }
        }
    }

    @Test
    void decidesOverTlsInACluster(@TempDir Path folder) throws Exception {
        certificate(folder);
        try (RedisCluster cluster = RedisCluster.startOverTls(folder.resolve("cert.pem"), folder.resolve("key.pem"))) {
            try (RedisEngine engine = RedisEngine.connect(cluster.tlsUri(), "p", Clock.system(), PATIENT)) {
                engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
                Limit limit = Limit.named("x").tokenBucket(Rate.perDay(1));
                for (int i = 0; i < 100; i++) {
                    PendingOutcome pending =
                            (PendingOutcome) engine.decide(Ask.charging(List.of(Demand.of(limit, "k" + i, 1))));
                    assertThat(pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS))
                            .isInstanceOfSatisfying(EngineDecision.class, decided -> assertThat(decided.allowed())
                                    .isTrue());
                }
            }
        }
    }

    private static void assertSays(String uri, String... parts) {
        try (RedisEngine engine = RedisEngine.connect(uri, "p", Clock.system())) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(engine.state().cause()).contains(parts));
            assertThat(engine.isReady()).isFalse();
        }
    }

    private static void certificate(Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "x",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        Key key = keys.getKey("x", "secret".toCharArray());
        Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
        Files.writeString(
                folder.resolve("cert.pem"),
                pem("CERTIFICATE", keys.getCertificate("x").getEncoded()));
    }

    private static String pem(String what, byte[] content) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + what
                + "-----\n";
    }
}
