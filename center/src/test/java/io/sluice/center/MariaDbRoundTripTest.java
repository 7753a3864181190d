package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Changes, releases, collisions and the log on a real MariaDB, in one center. The long form is {@link MariaDbApiTest}. */
class MariaDbRoundTripTest {

    @TempDir
    Path data;

    @Test
    void changesAreEditedReleasedAndRolledBackAndSurviveARestart() throws Exception {
        CenterSettings settings = PreparedCenter.in(data, MariaDbServer.shared().database());
        try (Center center = Center.open(settings)) {
            ApiClient api = ApiClient.of(center);
            assertThat(api.release("login", 5)).isEqualTo(1);
            assertThat(api.release("orders", 7)).isEqualTo(2);
            Answer one = api.open(2, "login", 6).expect(201);
            Answer other = api.open(2, "login", 8).expect(201);
            assertThat(api.release(one)).isEqualTo(3);
            api.post(
                            "/api/changes/" + other.number("id") + "/release",
                            "{\"digest\":\"" + other.string("digest") + "\"}")
                    .expect(409);
            api.post("/api/changes/" + other.number("id") + "/withdraw", "{\"reason\":\"a mistake\"}")
                    .expect(200);
            assertThat(api.get("/api/changes?state=withdrawn").json()).hasSize(1);
            assertThat(api.post("/api/rollback", "{\"to\":2,\"reason\":\"too strict\"}")
                            .expect(202)
                            .number("version"))
                    .isEqualTo(4);
            JsonNode history = api.get("/api/rules/login/history").expect(200).json();
            assertThat(history.get("steps")).hasSize(3);
            assertThat(api.get("/api/versions/2/diff?to=3").expect(200).json().get("sentences"))
                    .hasSize(1);
            assertThat(api.get("/api/commands").expect(200).text()).contains("roll_back", "close_change", "too strict");
        }
        try (Center center = Center.open(settings)) {
            ApiClient api = ApiClient.of(center);
            assertThat(api.get("/api/rules").expect(200).number("version")).isEqualTo(4);
            assertThat(api.get("/api/rules").string("digest"))
                    .isEqualTo(api.get("/api/versions/2")
                            .json()
                            .at("/version/digest")
                            .asString());
            assertThat(api.post("/api/audit/verify", "").expect(200).get("good").asBoolean())
                    .isTrue();
        }
    }
}
