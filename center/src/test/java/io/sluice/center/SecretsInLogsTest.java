package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.signin.SessionCsrf;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attack A32: no secret and no caller gets into a row, a line of the log, an error, or the database in clear text. */
class SecretsInLogsTest {

    private static final String PASSWORD = "correct horse battery staple";
    private static final String ANOTHER = "another staple of that horse";
    private static final String WRONG = "wrong-password-of-ann";
    private static final String CALLER = "198.51.100.177";

    @TempDir
    Path data;

    private final List<String> secrets = new ArrayList<>();
    private final StringBuilder errors = new StringBuilder();

    @Test
    void noSecretIsEverWrittenDown() throws Exception {
        try (CenterLog log = new CenterLog();
                SecondPerson people = SecondPerson.in(data)) {
            Center center = people.center();
            secrets.addAll(List.of(PASSWORD, ANOTHER, WRONG));
            secrets.add(Files.readString(center.adminTokenFile()).strip());
            people.machine().release("login", 5);
            PageClient page = setUp(people);
            failSignIns(center);
            tokens(center, page);
            passkeys(people, page);
            override(people);
            page.send("PUT", "/api/me/password", "{\"password\":\"" + ANOTHER + "\"}");
            secret(page.session());
            page.delete("/api/session").expect(200);

            String rows =
                    people.machine().get("/api/audit?limit=200").expect(200).text();
            assertThat(rows).contains("sign_in", "create_token", "add_passkey", "change_password", "sign_out");
            String stored = Deeds.stored(center);
            List<String> everywhere = new ArrayList<>(secrets);
            for (String secret : everywhere) {
                assertThat(rows).as("the audit log").doesNotContain(secret);
                assertThat(log.text()).as("the log").doesNotContain(secret);
                assertThat(errors.toString()).as("the errors").doesNotContain(secret);
                assertThat(stored).as("the database").doesNotContain(secret);
            }
            for (String personal : List.of(CALLER, "new.person@example.com")) {
                assertThat(rows).as("the audit log").doesNotContain(personal);
                assertThat(log.text()).as("the log").doesNotContain(personal);
                assertThat(errors.toString()).as("the errors").doesNotContain(personal);
            }
        }
        // Nor in any file of the center, once everything is written.
        try (var files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().equals("admin-token"))
                    .toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                for (String secret : secrets) {
                    assertThat(bytes).as(file.toString()).doesNotContain(secret);
                }
            }
        }
    }

    private PageClient setUp(SecondPerson people) {
        String link = people.as("root")
                .post(
                        "/api/users",
                        "{\"user\":\"nina\",\"email\":\"new.person@example.com\","
                                + "\"roles\":[{\"role\":\"administrator\"}],\"reason\":\"new\"}")
                .expect(201)
                .string("link");
        secret(link.substring(link.indexOf('#') + 1));
        PageClient page = new PageClient(people.center());
        note(page.post("/api/set-up", "{\"link\":\"" + link + "\",\"password\":\"short\"}"), 400);
        page.post("/api/set-up", "{\"link\":\"" + link + "\",\"password\":\"" + PASSWORD + "\"}")
                .expect(200);
        secret(page.session());
        note(page.post("/api/set-up", "{\"link\":\"" + link + "\",\"password\":\"" + PASSWORD + "\"}"), 404);
        page.post("/api/session/factor", "{\"password\":\"" + PASSWORD + "\"}").expect(200);
        secret(page.session());
        return page;
    }

    private void failSignIns(Center center) {
        PageClient stranger = new PageClient(center);
        note(stranger.post("/api/session", "{\"user\":\"nina\",\"password\":\"" + WRONG + "\"}"), 401);
        note(stranger.post("/api/session", "{\"user\":\"" + WRONG + "\",\"password\":\"nina\"}"), 401);
        note(stranger.post("/api/session", "{\"user\":\"" + WRONG + "\"}"), 400);
        note(stranger.post("/api/session", "{\"" + WRONG + "\":1"), 400);
        note(stranger.get("/sign-in/oidc/none/callback?code=" + WRONG + "&state=" + WRONG), 303);
        secrets.add("slc_guessed-token");
        note(ApiClient.of(center).withToken("slc_guessed-token").get("/api/rules"), 401);
        note(ApiClient.of(center).withToken("slc_guessed-token").get("/api/slc_guessed-token"), 401);
        note(ApiClient.session(center, WRONG).get("/api/rules"), 401);
        note(ApiClient.session(center, WRONG).post("/api/rollback", "{}"), 401);
    }

    private void tokens(Center center, PageClient page) {
        Answer made = page.post("/api/tokens", "{\"name\":\"robot\",\"scopes\":[\"read\"]}")
                .expect(201);
        secret(made.string("secret"));
        ApiClient robot = ApiClient.of(center).withToken(made.string("secret"));
        robot.get("/api/rules").expect(200);
        note(robot.post("/api/rollback", "{}"), 403);
        page.delete("/api/tokens/" + made.json().at("/token/id").asLong()).expect(200);
        note(robot.get("/api/rules"), 401);
    }

    private void passkeys(SecondPerson people, PageClient page) throws Exception {
        SoftAuthenticator device = Deeds.device(people.center());
        Deeds.register(page, device).expect(201);
        page.post("/api/me/passkeys/options", "").expect(200);
        page.cookies().values().forEach(this::secret);
        note(page.post("/api/me/passkeys", "{\"label\":\"x\",\"credential\":{}}"), 400);
        PageClient other = new PageClient(people.center());
        Deeds.use(other, device).expect(200);
        other.cookies().values().forEach(this::secret);
        PageClient thief = new PageClient(people.center());
        note(Deeds.use(thief, Deeds.device(people.center())), 400, 401);
    }

    private void override(SecondPerson people) {
        Account operator = ApiClient.account(people.center(), "oscar", Grant.of(Role.OPERATOR));
        ApiClient client = ApiClient.person(people.center(), operator);
        String wish = "{\"rule\":\"login\",\"limit\":\"login.0\",\"caller\":{\"ip\":\"" + CALLER
                + "\"},\"numbers\":{\"limit\":9},\"in\":\"1h\",\"reason\":\"x\"}";
        long id = client.post("/api/overrides", wish).expect(201).number("id");
        note(client.post("/api/overrides", wish.replace("\"in\":\"1h\"", "\"in\":\"never\"")), 400);
        note(client.post("/api/overrides", wish.replace("login.0", "login.9")), 422);
        client.send("DELETE", "/api/overrides/" + id, "application/json", "{\"reason\":\"x\"}")
                .expect(200);
    }

    private void note(Answer answer, Integer... expected) {
        assertThat(expected).as(answer.text()).contains(answer.status());
        errors.append(answer.text()).append('\n');
    }

    private void secret(String secret) {
        assertThat(secret).hasSizeGreaterThan(15);
        secrets.add(secret);
        secrets.add(SessionCsrf.of(secret));
    }
}
