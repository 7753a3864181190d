package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the first start to several administrators, on any database. */
abstract class FirstStartContract {

    private static final String PASSWORD = "correct horse battery";

    @TempDir
    Path data;

    /** Returns the address of an empty database. */
    abstract String emptyDatabase();

    @Test
    void thereIsNeverADefaultPassword() throws Exception {
        CenterSettings settings = CenterSettings.embedded(data).db(emptyDatabase());
        String lost;
        try (Center center = StagedCenter.open(settings)) {
            List<Account> accounts =
                    center.people().database().read(center.people().accounts()::all);
            assertThat(accounts).isEmpty();
            for (String name : List.of("admin", "root", "sluice")) {
                for (String password : List.of("admin", "password", "sluice")) {
                    assertThat(Browser.of(center).signIn(name, password).status())
                            .as(name + " " + password)
                            .isIn(401, 429);
                }
                Browser.of(center).signIn(name, "").expect(400);
            }
            Browser.of(center)
                    .post("/api/set-up", "{\"link\":\"\",\"user\":\"eve\",\"password\":\"" + PASSWORD + "\"}")
                    .expect(404);
            lost = secret(center);
        }
        String first;
        try (Center center = StagedCenter.open(settings)) {
            first = secret(center);
            setUp(center, lost, "eve", PASSWORD).expect(404);
            setUp(center, first, "ann", "too short").expect(400);
            setUp(center, first, "not a name", PASSWORD).expect(400);
            Browser ann = Browser.of(center);
            ann.post(
                            "/api/set-up",
                            "{\"link\":\"" + first + "\",\"user\":\"Ann\",\"email\":\"ann@example.com\",\"password\":\""
                                    + PASSWORD + "\"}")
                    .expect(200);
            assertThat(ann.get("/api/me").json().get("roles").toString()).isEqualTo("[{\"role\":\"administrator\"}]");
            ann.get("/api/status").expect(200);
            setUp(center, first, "eve", PASSWORD).expect(404);
            // The last administrator stays.
            ApiClient.of(center)
                    .send("DELETE", "/api/users/1", "application/json", "")
                    .expect(409);
            ApiClient.of(center)
                    .put("/api/users/1", "{\"roles\":[{\"role\":\"viewer\"}]}")
                    .expect(409);
        }
        try (Center center = StagedCenter.open(settings)) {
            assertThat(center.setUpLink()).isEmpty();
            Browser.of(center).signIn("ann", PASSWORD).expect(200);
            twoAdministratorsNeverRemoveEachOther(center);
        }
    }

    private static void twoAdministratorsNeverRemoveEachOther(Center center) throws Exception {
        Account second = ApiClient.account(center, "bob", Grant.of(Role.ADMINISTRATOR));
        ApiClient bob = ApiClient.person(center, second);
        Account first = center.people()
                .database()
                .read(client -> center.people().accounts().named(client, "ann"))
                .orElseThrow();
        ApiClient ann = ApiClient.person(center, first);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Callable<Integer>> calls = List.of(
                    () -> ann.send("DELETE", "/api/users/" + second.id(), "application/json", "")
                            .status(),
                    () -> bob.send("DELETE", "/api/users/" + first.id(), "application/json", "")
                            .status());
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> call : threads.invokeAll(calls)) {
                results.add(call.get());
            }
            assertThat(results).contains(200).containsAnyOf(401, 409).hasSize(2);
        } finally {
            threads.shutdownNow();
        }
        long left = center.people().database().read(center.people().accounts()::all).stream()
                .filter(Account::isEnabledAdministrator)
                .count();
        assertThat(left).isEqualTo(1);
    }

    private static Browser.Reply setUp(Center center, String secret, String name, String password) {
        return Browser.of(center)
                .post(
                        "/api/set-up",
                        "{\"link\":\"" + secret + "\",\"user\":\"" + name + "\",\"password\":\"" + password + "\"}");
    }

    private static String secret(Center center) {
        String link = center.setUpLink().orElseThrow();
        assertThat(link).startsWith(center.publicUrl() + "/set-up#");
        return link.substring(link.indexOf('#') + 1);
    }
}
