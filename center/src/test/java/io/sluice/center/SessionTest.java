package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A person uses the API with the cookie of a session. */
class SessionTest {

    @TempDir
    Path data;

    @Test
    void aRoleDecides() throws Exception {
        try (Center center = StagedCenter.open(PreparedCenter.in(data))) {
            ApiClient editor = ApiClient.person(center, "ann", Grant.of(Role.EDITOR));
            ApiClient viewer = ApiClient.person(center, "bob", Grant.of(Role.VIEWER));
            editor.release("login", 5);
            viewer.get("/api/rules").expect(200);
            viewer.open(1, "login", 6).expect(403);
            editor.post("/api/mirror/repair", "{}").expect(403);
        }
    }

    @Test
    void aCenterThatOnlyShowsRulesStillHasPeople() throws Exception {
        try (Center center =
                StagedCenter.open(PreparedCenter.in(data).showing("rules.yaml", () -> new RuleSet(1, List.of())))) {
            Browser ann = Browser.of(center);
            String link = center.setUpLink().orElseThrow();
            ann.post("/api/set-up", "{\"link\":\"" + link + "\",\"user\":\"ann\",\"password\":\"correct horse\"}")
                    .expect(200);
            ann.post("/api/users", "{\"user\":\"bob\"}").expect(201);
            ann.post("/api/rollback", "{}").expect(409);
            ann.send("DELETE", "/api/session", "").expect(200);
        }
    }

    @Test
    void guessingNeverGoesOnAtFullSpeedAlsoWithRedisDown() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Center center = StagedCenter.open(PreparedCenter.in(data).redis(redis.uri()))) {
            ApiClient.account(center, "ann", Grant.of(Role.VIEWER));
            int guesses = 0;
            for (int i = 0; i < 2; i++) {
                guesses += guess(center);
            }
            redis.kill();
            for (int i = 0; i < 18; i++) {
                guesses += guess(center);
            }
            assertThat(guesses).isBetween(2, 15);
            assertThat(center.passwords().computations()).isEqualTo(guesses);
        }
    }

    /** Guesses once. Returns 1 if the guess was compared, 0 if it was refused before. */
    private static int guess(Center center) {
        int status = Browser.of(center).signIn("ann", "a wrong password").status();
        assertThat(status).isIn(401, 429);
        return status == 401 ? 1 : 0;
    }
}
