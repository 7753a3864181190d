package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.ApiClient.Answer;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database is away, read-only, damaged, or of somebody else. */
class DatabaseFaultTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    @Test
    void writesAreRefusedWhileItIsAwayAndNodesGoOn() throws Exception {
        try (MariaDbServer server = MariaDbServer.start();
                Center center = Center.open(CenterSettings.embedded(data).db(server.database()))) {
            ApiClient api = ApiClient.of(center);
            api.release("login", 5);
            FakeNode node = new FakeNode(api, "n1");
            node.runs(1);
            Answer change = api.open(1, "login", 6).expect(201);

            server.kill();
            String release = "{\"digest\":\"" + change.string("digest") + "\"}";
            Answer refused = api.post("/api/changes/" + change.number("id") + "/release", release)
                    .expect(503);
            assertThat(refused.type()).startsWith("application/problem+json");
            Await.until("health", SOON, () -> api.get("/health").status() == 503);
            Fleet fleet = node.report(1, "f".repeat(64), java.util.Optional.empty());
            assertThat(fleet.version()).isEqualTo(1);

            server.restart();
            Await.until("health", SOON, () -> api.get("/health").status() == 200);
            assertThat(api.get("/api/versions").json()).hasSize(1);
            api.post("/api/changes/" + change.number("id") + "/release", release)
                    .expect(202);
            assertThat(api.get("/api/versions").json()).hasSize(2);
        }
    }

    @Test
    void writesAreRefusedWhileItIsReadOnly() throws Exception {
        try (MariaDbServer server = MariaDbServer.start()) {
            String url = server.database();
            server.sql("CREATE USER center IDENTIFIED BY 'secret'");
            server.sql("GRANT ALL ON *.* TO center");
            server.sql("REVOKE READ_ONLY ADMIN ON *.* FROM center");
            try (Center center = Center.open(
                    CenterSettings.embedded(data).db(url.replace("user=root", "user=center&password=secret")))) {
                ApiClient api = ApiClient.of(center);
                api.release("login", 5);
                server.sql("SET GLOBAL read_only = 1");
                api.open(1, "login", 6).expect(503);
                assertThat(api.get("/api/rules").expect(200).number("version")).isEqualTo(1);
                server.sql("SET GLOBAL read_only = 0");
                api.open(1, "login", 6).expect(201);
            }
        }
    }

    @Test
    void aDamagedFileIsNotUsed() throws Exception {
        try (Center center = Center.open(CenterSettings.embedded(data))) {
            ApiClient.of(center).release("login", 5);
        }
        Path file = data.resolve("center.db");
        byte[] bytes = Files.readAllBytes(file);
        java.util.Arrays.fill(bytes, 4096, bytes.length, (byte) 'x');
        Files.write(file, bytes);
        assertThatThrownBy(() -> Center.open(CenterSettings.embedded(data)))
                .isInstanceOf(CenterStartException.class)
                .hasMessageContaining("center.db")
                .hasMessageContaining("restore");
    }

    @Test
    void aDirectoryIsUsedByOneCenterOnly() throws Exception {
        Center center = Center.open(CenterSettings.embedded(data));
        try {
            assertThatThrownBy(() -> Center.open(CenterSettings.embedded(data)))
                    .isInstanceOf(CenterStartException.class)
                    .hasMessageContaining("used by another center");
        } finally {
            center.close();
        }
        Center.open(CenterSettings.embedded(data)).close();
    }

    @Test
    void saysWhatIsWrongWithAnAddress() {
        assertThatThrownBy(() -> Center.open(CenterSettings.embedded(data).db("jdbc:oracle:thin:@x?password=secret")))
                .hasMessageContaining("expected: jdbc:mariadb://")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> Center.open(
                        CenterSettings.embedded(data).db("jdbc:mariadb://127.0.0.1:1/x?user=u&password=secret")))
                .hasMessageContaining("jdbc:mariadb://127.0.0.1:1/x")
                .hasMessageNotContaining("secret");
    }
}
