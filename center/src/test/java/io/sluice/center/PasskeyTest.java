package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Passkeys without a browser, so that an attacker can send what no browser would. */
class PasskeyTest {

    @TempDir
    static Path data;

    private static Center center;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
    }

    @AfterAll
    static void close() {
        center.close();
    }

    @Test
    void aPasskeySignsInAndSaysWhenItWasUsed() throws Exception {
        Account ann = account("ann");
        SoftAuthenticator device = authenticator();
        PageClient page = page(ann);
        long id = add(page, device, "Laptop").number("id");
        JsonNode before = page.get("/api/me/passkeys").expect(200).json().get(0);
        assertThat(before.get("label").asString()).isEqualTo("Laptop");
        assertThat(before.get("last_used_at").isNull()).isTrue();

        PageClient other = new PageClient(center);
        assertThat(signIn(other, device).expect(200).string("user")).isEqualTo("ann");
        JsonNode after = other.get("/api/me/passkeys").expect(200).json().get(0);
        assertThat(after.get("id").asLong()).isEqualTo(id);
        assertThat(after.get("last_used_at").isNull()).isFalse();
        assertThat(center.people()
                        .sessions()
                        .find(other.session())
                        .orElseThrow()
                        .factors())
                .extracting(factor -> factor.authority())
                .containsExactly("FACTOR_WEBAUTHN");
    }

    @Test
    void anAccountHasSeveralPasskeysAndTheOptionsNameThem() throws Exception {
        Account bob = account("bob");
        PageClient page = page(bob);
        add(page, authenticator(), "one");
        add(page, authenticator(), "");
        JsonNode options = page.post("/api/me/passkeys/options", "").expect(200).json();
        assertThat(options.get("excludeCredentials").size()).isEqualTo(2);
        assertThat(options.at("/authenticatorSelection/userVerification").asString())
                .isEqualTo("required");
        assertThat(options.at("/authenticatorSelection/residentKey").asString()).isEqualTo("preferred");
        assertThat(options.at("/rp/id").asString()).isEqualTo("localhost");
        JsonNode stepUp =
                page.post("/api/session/passkey/options", "").expect(200).json();
        assertThat(stepUp.get("allowCredentials").size()).isEqualTo(2);
        assertThat(stepUp.get("userVerification").asString()).isEqualTo("required");
        JsonNode open = new PageClient(center)
                .post("/api/session/passkey/options", "")
                .expect(200)
                .json();
        assertThat(open.get("allowCredentials").size()).isZero();
    }

    @Test
    void aPasskeyStepsASessionUpAndTheSessionGetsANewId() throws Exception {
        Account account = account("step");
        SoftAuthenticator device = authenticator();
        PageClient page = page(account);
        add(page, device, "key");
        String before = page.session();
        signIn(page, device).expect(200);
        assertThat(page.session()).isNotEqualTo(before);
        assertThat(center.people().sessions().find(before)).isEmpty();
        assertThat(center.people().sessions().find(page.session()).orElseThrow().factors())
                .extracting(factor -> factor.authority())
                .containsExactlyInAnyOrder("FACTOR_PASSWORD", "FACTOR_WEBAUTHN");
    }

    @Test
    void anAssertionIsNeverAcceptedTwice() throws Exception {
        SoftAuthenticator device = authenticator();
        add(page(account("replay")), device, "key");
        PageClient page = new PageClient(center);
        JsonNode options =
                page.post("/api/session/passkey/options", "").expect(200).json();
        String cookie = page.cookies().get("sluice_use_passkey");
        String body = body(device.use(options));
        page.post("/api/session/passkey", body).expect(200);

        PageClient thief = new PageClient(center);
        thief.cookies().put("sluice_use_passkey", cookie);
        thief.post("/api/session/passkey", body).expect(401);
        // Nor with other options.
        thief.post("/api/session/passkey/options", "").expect(200);
        thief.post("/api/session/passkey", body).expect(401);
        thief.post("/api/session/passkey", body).expect(401);
        assertThat(thief.session()).isEmpty();
    }

    @Test
    void optionsOfAnotherSessionAreNeverFinished() throws Exception {
        Account owner = account("owner");
        Account thief = account("thief");
        SoftAuthenticator device = authenticator();
        PageClient page = page(owner);
        JsonNode options = page.post("/api/me/passkeys/options", "").expect(200).json();
        PageClient other = page(thief);
        other.cookies().put("sluice_add_passkey", page.cookies().get("sluice_add_passkey"));
        other.post("/api/me/passkeys", "{\"label\":\"x\",\"credential\":" + device.create(options) + "}")
                .expect(409);
        // They are used up.
        page.post("/api/me/passkeys", "{\"label\":\"x\",\"credential\":" + device.create(options) + "}")
                .expect(409);
        assertThat(page.get("/api/me/passkeys").json().size()).isZero();
        assertThat(other.get("/api/me/passkeys").json().size()).isZero();

        // A second session of the same account is another session.
        PageClient second = page(owner);
        JsonNode more = page.post("/api/me/passkeys/options", "").expect(200).json();
        second.cookies().put("sluice_add_passkey", page.cookies().get("sluice_add_passkey"));
        second.post("/api/me/passkeys", "{\"label\":\"x\",\"credential\":" + device.create(more) + "}")
                .expect(409);
        // What was made for signing in does not register.
        JsonNode use = page.post("/api/session/passkey/options", "").expect(200).json();
        page.cookies().put("sluice_add_passkey", page.cookies().get("sluice_use_passkey"));
        ObjectNode mixed = (ObjectNode) use;
        mixed.putObject("user").put("id", "AAAA");
        page.post("/api/me/passkeys", "{\"label\":\"x\",\"credential\":" + device.create(mixed) + "}")
                .expect(409);
    }

    @Test
    void aPasskeyOfSomebodyElseNeverStepsASessionUp() throws Exception {
        SoftAuthenticator own = authenticator();
        SoftAuthenticator foreign = authenticator();
        PageClient page = page(account("mine"));
        add(page, own, "own");
        add(page(account("foreign")), foreign, "foreign");
        String session = page.session();
        signIn(page, foreign).expect(401);
        assertThat(page.session()).isEqualTo(session);
        assertThat(center.people().sessions().find(session).orElseThrow().factors())
                .hasSize(1);
        // Options that were made before somebody signed in do not work in the session.
        PageClient early = new PageClient(center);
        JsonNode options =
                early.post("/api/session/passkey/options", "").expect(200).json();
        page.cookies().put("sluice_use_passkey", early.cookies().get("sluice_use_passkey"));
        page.post("/api/session/passkey", body(own.use(options))).expect(401);
    }

    @Test
    void aPageOfAnotherOriginNeverSignsIn() throws Exception {
        SoftAuthenticator device = authenticator();
        add(page(account("origin")), device, "key");
        String right = device.origin;
        for (String origin : List.of(
                "https://evil.example",
                "http://localhost:1",
                "http://localhost.evil.example",
                right.replace("localhost", "127.0.0.1"),
                right.replace("http:", "https:"))) {
            device.origin = origin;
            signIn(new PageClient(center), device).expect(401);
        }
        device.origin = right;
        signIn(new PageClient(center), device).expect(200);
        // And registers nothing.
        SoftAuthenticator evil = authenticator();
        evil.origin = "https://evil.example";
        PageClient page = page(account("origin2"));
        register(page, evil, "key").expect(400);
        assertThat(page.get("/api/me/passkeys").json().size()).isZero();
    }

    @Test
    void aPasskeyOfAnotherRelyingPartyNeverSignsIn() throws Exception {
        SoftAuthenticator device = authenticator();
        PageClient page = page(account("party"));
        add(page, device, "key");
        device.relyingParty = "evil.example";
        signIn(new PageClient(center), device).expect(401);
        SoftAuthenticator evil = authenticator();
        evil.relyingParty = "evil.example";
        register(page, evil, "key").expect(400);
    }

    @Test
    void aDisabledAccountNeverSignsInWithAPasskey() throws Exception {
        Account account = account("gone");
        SoftAuthenticator device = authenticator();
        add(page(account), device, "key");
        PageClient page = new PageClient(center);
        JsonNode options =
                page.post("/api/session/passkey/options", "").expect(200).json();
        center.people().database().write(client -> {
            Account now = center.people().accounts().find(client, account.id()).orElseThrow();
            return center.people().accounts().replace(client, now.disabled(1));
        });
        page.post("/api/session/passkey", body(device.use(options))).expect(401);
        signIn(new PageClient(center), device).expect(401);
    }

    @Test
    void aCounterThatGoesBackIsNeverAccepted() throws Exception {
        SoftAuthenticator device = authenticator();
        add(page(account("copied")), device, "key");
        device.counter = 10;
        signIn(new PageClient(center), device).expect(200);
        device.counter = 10;
        signIn(new PageClient(center), device).expect(401);
        device.counter = 4;
        signIn(new PageClient(center), device).expect(401);
        device.counter = -1;
        signIn(new PageClient(center), device).expect(401);
        device.counter = 11;
        signIn(new PageClient(center), device).expect(200);
    }

    @Test
    void anAuthenticatorThatDoesNotVerifyItsUserIsNeverAccepted() throws Exception {
        SoftAuthenticator device = authenticator();
        PageClient page = page(account("careless"));
        device.verifiesUser = false;
        register(page, device, "key").expect(400);
        device.verifiesUser = true;
        add(page, device, "key");
        device.verifiesUser = false;
        signIn(new PageClient(center), device).expect(401);
    }

    @Test
    void aForgedSignatureNeverSignsIn() throws Exception {
        SoftAuthenticator device = authenticator();
        SoftAuthenticator forger = authenticator();
        PageClient page = page(account("forged"));
        add(page, device, "key");
        PageClient thief = new PageClient(center);
        JsonNode options =
                thief.post("/api/session/passkey/options", "").expect(200).json();
        ObjectNode right = device.use(options);
        ObjectNode forged = forger.use(options);
        forged.put("id", right.get("id").asString())
                .put("rawId", right.get("rawId").asString());
        ((ObjectNode) forged.get("response"))
                .put("userHandle", right.at("/response/userHandle").asString());
        thief.post("/api/session/passkey", body(forged)).expect(401);
    }

    @Test
    void theLastWayOfSigningInIsNeverRemoved() throws Exception {
        Account account = account("last");
        PageClient page = page(account);
        long first = add(page, authenticator(), "first").number("id");
        long second = add(page, authenticator(), "second").number("id");
        page.delete("/api/me/passkeys/" + first).expect(200);
        page.delete("/api/me/passkeys/" + first).expect(404);
        page.delete("/api/me/passkeys/" + second).expect(409);
        Account changed = center.people().database().write(client -> {
            Account now = center.people().accounts().find(client, account.id()).orElseThrow();
            return center.people().accounts().replace(client, now.withPassword("{argon2}x"));
        });
        page(changed).delete("/api/me/passkeys/" + second).expect(200);
    }

    @Test
    void aPasskeyOfSomebodyElseIsNeverRemoved() throws Exception {
        PageClient page = page(account("keeper"));
        long id = add(page, authenticator(), "key").number("id");
        add(page, authenticator(), "another");
        page(account("remover")).delete("/api/me/passkeys/" + id).expect(404);
        assertThat(page.get("/api/me/passkeys").json().size()).isEqualTo(2);
    }

    @Test
    void removingAPasskeyEndsTheOtherSessions() throws Exception {
        Account account = account("robbed");
        SoftAuthenticator device = authenticator();
        PageClient page = page(account);
        add(page, authenticator(), "here");
        long id = add(page, device, "stolen").number("id");
        PageClient thief = new PageClient(center);
        signIn(thief, device).expect(200);
        page.delete("/api/me/passkeys/" + id).expect(200);
        thief.get("/api/me/passkeys").expect(401);
        page.get("/api/me/passkeys").expect(200);
        signIn(new PageClient(center), device).expect(401);
    }

    @Test
    void aTokenNeverManagesPasskeys() {
        ApiClient token = ApiClient.of(center);
        token.get("/api/me/passkeys").expect(403);
        token.post("/api/me/passkeys/options", "{}").expect(403);
        token.post("/api/me/passkeys", "{}").expect(403);
        token.send("DELETE", "/api/me/passkeys/1", "application/json", "").expect(403);
    }

    @Test
    void whatIsNotACredentialIsRefusedWithItsReason() throws Exception {
        PageClient page = page(account("clumsy"));
        for (String body : List.of(
                "{}",
                "{\"credential\":null}",
                "{\"credential\":7}",
                "{\"credential\":{}}",
                "{\"credential\":{\"id\":\"x\",\"rawId\":\"!\",\"type\":\"public-key\",\"response\":{}}}",
                "{\"credential\":{\"id\":\"x\",\"rawId\":\"eA\",\"type\":\"public-key\"}}",
                "{\"credential\":{\"id\":\"x\",\"rawId\":\"eA\",\"type\":\"public-key\",\"response\":{}}}",
                "{\"credential\":[]}",
                "[]",
                "x")) {
            page.post("/api/me/passkeys/options", "").expect(200);
            assertThat(page.post("/api/me/passkeys", body).status()).as(body).isEqualTo(400);
            PageClient open = new PageClient(center);
            open.post("/api/session/passkey/options", "").expect(200);
            assertThat(open.post("/api/session/passkey", body).status())
                    .as(body)
                    .isIn(400, 401);
        }
        assertThat(register(page, authenticator(), "l".repeat(101)).expect(400).string("detail"))
                .startsWith("label:");
    }

    @Test
    void nobodySendsALongBody() {
        String body = "{\"credential\":\"" + "x".repeat(70_000) + "\"}";
        for (String path : List.of("/api/session/passkey", "/api/session", "/api/set-up", "/api/set-up/look")) {
            new PageClient(center).post(path, body).expect(413);
        }
        page(account("talker")).post("/api/me/passkeys", body).expect(413);
    }

    @Test
    void everyChangeIsLogged() throws Exception {
        PageClient page = page(account("logged"));
        long id = add(page, authenticator(), "first").number("id");
        add(page, authenticator(), "second");
        page.delete("/api/me/passkeys/" + id).expect(200);
        String log = ApiClient.of(center).get("/api/commands").expect(200).text();
        assertThat(log).contains("add_passkey", "remove_passkey", "user:logged");
    }

    private static Account account(String name) {
        return ApiClient.account(center, name, Grant.of(Role.VIEWER));
    }

    private static PageClient page(Account account) {
        return new PageClient(center).signIn(center, account);
    }

    private static SoftAuthenticator authenticator() throws Exception {
        return new SoftAuthenticator(center.publicUrl().toString(), "localhost");
    }

    private static ApiClient.Answer add(PageClient page, SoftAuthenticator device, String label) throws Exception {
        return register(page, device, label).expect(201);
    }

    private static ApiClient.Answer register(PageClient page, SoftAuthenticator device, String label) throws Exception {
        return device.addTo(page, label);
    }

    private static ApiClient.Answer signIn(PageClient page, SoftAuthenticator device) throws Exception {
        return device.signIn(page);
    }

    private static String body(ObjectNode credential) {
        return JsonMapper.shared()
                .createObjectNode()
                .set("credential", credential)
                .toString();
    }
}
