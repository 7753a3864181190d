package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.redis.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a center answers if the connection to MariaDB breaks while the answer to COMMIT is on its way. */
@Tag("long")
class LostCommitTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String COMMAND = "INSERT INTO command";
    private static final String SWITCH = "{\"rule\":\"login\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"test\"}";

    @TempDir
    Path data;

    private FaultProxy proxy;
    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        proxy = FaultProxy.before(server);
        String db = server.database().replace(":" + server.port() + "/", ":" + proxy.port() + "/");
        center = Center.open(CenterSettings.embedded(data).db(db));
        api = ApiClient.of(center);
        api.release("login", 5);
    }

    @AfterEach
    void stop() {
        center.close();
        proxy.close();
    }

    @Test
    void whatWasStoredIsAnsweredSo() {
        for (int i = 1; i <= 3; i++) {
            Answer change = api.open(i, "login", 5 + i).expect(201);
            proxy.loseAnswerTo(() -> {}, "INSERT INTO rule_version", "COMMIT");
            assertThat(api.release(change)).isEqualTo(i + 1);
            assertThat(proxy.severed()).isEqualTo(i);
        }
        assertThat(api.get("/api/versions").json()).hasSize(4);
        proxy.loseAnswerTo(() -> {}, COMMAND, "COMMIT");
        api.post("/api/switch", SWITCH).expect(201);
        ApiClient root = ApiClient.person(center, "root", Grant.of(Role.ADMINISTRATOR));
        proxy.loseAnswerTo(() -> {}, COMMAND, "COMMIT");
        root.post("/api/users", "{\"user\":\"ann\",\"roles\":[{\"role\":\"viewer\"}],\"reason\":\"test\"}")
                .expect(201);
        assertThat(root.get("/api/users").text()).contains("\"ann\"");
    }

    @Test
    void anUnknownOutcomeIsCalledSoAndTheSameKeyAnswersIt() {
        ApiClient keyed = api.with("Idempotency-Key", "0123456789abcdef");
        proxy.loseAnswerTo(this::disconnect, COMMAND, "COMMIT");
        Answer unknown = keyed.post("/api/switch", SWITCH).expect(503);
        assertThat(unknown.string("outcome")).isEqualTo("unknown");
        assertThat(unknown.string("detail")).contains("it is not known whether the change was stored");
        Answer away = keyed.post("/api/switch", SWITCH).expect(503);
        assertThat(away.string("detail")).contains("nothing was changed");
        proxy.listen();
        Await.until("health", SOON, () -> api.get("/health").status() == 200);
        // It was stored, and its answer was not.
        Answer repeated = keyed.post("/api/switch", SWITCH).expect(409);
        assertThat(repeated.string("detail")).contains("was carried out as command");
        assertThat(api.get("/api/switch").json()).hasSize(1);
    }

    @Test
    void aChangeThatWasStoredBeforeTheDatabaseWentAwayIsNotDenied() {
        // The answer reads the settings after the proposal was stored.
        proxy.loseAnswerTo(this::disconnect, "identity, at, state FROM settings_proposal WHERE state");
        Answer stored = api.post("/api/approval-settings", "{\"raise\":3,\"reason\":\"test\"}")
                .expect(503);
        assertThat(stored.string("outcome")).isEqualTo("stored");
        assertThat(stored.string("detail")).contains("the change was stored as command");
        assertThat(stored.get("commands")).hasSize(1);
        proxy.listen();
        Await.until(
                "the settings", SOON, () -> api.get("/api/approval-settings").status() == 200);
        assertThat(api.get("/api/approval-settings").get("proposals")).hasSize(1);
    }

    private void disconnect() {
        proxy.stopListening();
        proxy.cut();
    }
}
