package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Attack A31: text that would forge a line, move the cursor, run as a formula or as a script, or hide what it says. */
class HostileTextTest {

    private static final String HOSTILE =
            "x\r\n2027-01-01 WARN forged\u001b[31m\u001b]0;t\u0007<script>alert(1)</script>"
                    + "=cmd()\u202e\u200b\u2028\u0000\ud83d\ude00";

    @TempDir
    Path data;

    @Test
    void hostileTextNeverBreaksALine() throws Exception {
        try (CenterLog log = new CenterLog();
                SecondPerson people = SecondPerson.in(data)) {
            people.protect("guarded");
            String text = JsonMapper.shared().writeValueAsString(HOSTILE);
            send(people, text);
            people.clock().advance(Duration.ofHours(5));
            people.await("the emergency ends", () -> people.machine()
                    .get("/api/commands")
                    .expect(200)
                    .text()
                    .contains("end_emergency"));

            assertThat(log.lines()).isNotEmpty().allSatisfy(line -> assertThat(
                            line.codePoints().filter(HostileTextTest::isHostile).count())
                    .as(line)
                    .isZero());
            for (String path : List.of(
                    "/api/audit?limit=200",
                    "/api/commands?limit=200",
                    "/api/changes",
                    "/api/nodes",
                    "/api/status",
                    "/api/emergencies",
                    "/api/overrides",
                    "/api/switch",
                    "/api/users")) {
                Answer answer = people.machine().get(path).expect(200);
                assertThat(answer.type()).isEqualTo("application/json");
                assertThat(answer.text().chars().filter(Character::isISOControl).count())
                        .as(path)
                        .isZero();
                JsonMapper.shared().readTree(answer.text());
            }
            HttpResponse<String> page =
                    new PageClient(people.center()).send("GET", "/sign-in?problem=%3Cscript%3E", "");
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "script-src 'self'");
            assertThat(page.headers().firstValue("X-Content-Type-Options").orElseThrow())
                    .isEqualTo("nosniff");
            assertThat(page.body()).doesNotContain("<script>alert");
            // The reason is kept as it was given, and the row is still the one that was stored.
            assertThat(people.machine()
                            .post("/api/audit/verify", "{}")
                            .expect(200)
                            .get("good")
                            .asBoolean())
                    .isTrue();
        }
    }

    /** Some of it is refused, which is as good; nothing fails. */
    private static void send(SecondPerson people, String text) {
        Center center = people.center();
        ApiClient root = people.as("root");
        String change = ApiClient.change(people.version(), ApiClient.put("login", 5));
        ok(root.post("/api/changes", change.replace("\"test\"", text)));
        ok(root.post("/api/changes", change.replace("\"to test\"", text)));
        ok(root.post("/api/changes", change.replace("\"/login\"", text)));
        ok(root.post("/api/changes", change.replace("\"login\"", text)));
        ok(root.post("/api/users", "{\"user\":" + text + ",\"reason\":" + text + "}"));
        ok(root.post("/api/users", "{\"user\":\"rtl\",\"display_name\":\"\\u202eelif\\u200b<script>=cmd()\"}"));
        ok(root.post("/api/tokens", "{\"name\":" + text + ",\"scopes\":[\"read\"]}"));
        ok(root.post("/api/approval-settings", "{\"raise\":3,\"reason\":" + text + "}"));
        ok(root.post("/api/rollback", "{\"to\":1,\"reason\":" + text + "}"));
        ok(root.post(
                "/api/switch",
                "{\"rule\":\"guarded\",\"to\":\"shadow\",\"in\":\"1h\",\"emergency\":true,\"reason\":" + text + "}"));
        ok(root.post(
                "/api/overrides",
                "{\"rule\":\"guarded\",\"limit\":\"guarded.0\",\"caller\":{\"ip\":" + text
                        + "},\"numbers\":{\"limit\":6},\"in\":\"1h\",\"reason\":" + text + "}"));
        ok(root.post("/api/" + "%0d%0a%1b%5b31m%e2%80%ae", "{}"));
        ok(root.get("/api/rules/%0d%0aforged"));
        ok(root.get("/api/audit?actor=%0d%0a%1b&kind=%e2%80%ae"));
        ok(root.with("User-Agent", "=cmd() \u001b[31m".replace("\u001b", "\t"), "X-Forwarded-For", "=cmd()")
                .get("/api/rules"));
        ok(people.machine()
                .post(
                        "/api/nodes/n1/heartbeat",
                        "{\"node\":\"n1\",\"name\":" + text + ",\"program\":" + text + ",\"findings\":[" + text
                                + "]}"));
        ok(new PageClient(center).post("/api/session", "{\"user\":" + text + ",\"password\":" + text + "}"));
        ok(new PageClient(center).post("/api/set-up", "{\"link\":" + text + ",\"password\":" + text + "}"));
        ok(new PageClient(center).get("/sign-in/oidc/%0d%0aforged/callback?state=%0d%0a&code=%1b"));
        Account account = ApiClient.account(center, "label", Grant.of(Role.VIEWER));
        ok(new PageClient(center)
                .signIn(center, account)
                .post("/api/me/passkeys", "{\"label\":" + text + ",\"credential\":" + text + "}"));
        // Its time will come when it is refused.
        people.machine().release("login", 5);
        Answer later = people.as("ann").open(people.version(), "login", 6).expect(201);
        people.as("ann")
                .release(later, "\"all\"", ",\"at\":\"" + people.in(Duration.ofHours(1)) + "\",\"reason\":" + text)
                .expect(202);
        people.machine().release("login", 7);
    }

    private static void ok(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isLessThan(500);
        assertThat(answer.text()
                        .replace("\n", "")
                        .chars()
                        .filter(Character::isISOControl)
                        .count())
                .as(answer.text())
                .isZero();
    }

    private static boolean isHostile(int character) {
        return Character.isISOControl(character)
                || Character.getType(character) == Character.FORMAT
                || Character.getType(character) == Character.LINE_SEPARATOR;
    }
}
