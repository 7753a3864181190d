package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Access;
import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.command.Actor;
import io.sluice.center.people.Account;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.Factor;
import io.sluice.center.signin.SessionCsrf;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** Somebody is slow, or sends too much. */
class SlowRequestTest {

    private static final Factor OLD = new Factor(FactorGrantedAuthority.PASSWORD_AUTHORITY, 1);

    @TempDir
    static Path data;

    private static Center center;

    @BeforeAll
    static void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void aSessionThatEndsWhileTheBodyIsOnItsWayNeverActs() throws Exception {
        Account account = ApiClient.account(center, "slow", Grant.of(Role.ADMINISTRATOR));
        String session = center.people().sessions().begin(account, FactorGrantedAuthority.PASSWORD_AUTHORITY);
        String body = "{\"name\":\"late\",\"scopes\":[\"read\"]}";
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nCookie: sluice_session=" + session + "\r\n"
                            + SessionCsrf.HEADER + ": " + SessionCsrf.of(session)
                            + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body.substring(0, 10))
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            center.people().database().write(client -> {
                center.people().sessions().end(client, session);
                return true;
            });
            out.write(body.substring(10).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            assertThat(answer(socket)).startsWith("HTTP/1.1 401");
        }
        assertThat(ApiClient.person(center, account)
                        .get("/api/tokens")
                        .expect(200)
                        .text())
                .doesNotContain("late");
    }

    @Test
    void aStrangersFormIsNeverReadToItsEnd() throws Exception {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                            + "Content-Length: 9000000000\r\n\r\na=b")
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            // The body never ends, so an answer shows that nobody waits for it.
            assertThat(answer(socket)).matches("(?s)HTTP/1.1 4.*");
        }
    }

    /**
     * A sender of requests.
     *
     * @param header the lines with the credential
     * @param access the rights of the credential; empty if it is none
     * @param isFresh whether a factor was just presented
     */
    private record Sender(String header, Optional<Access> access, boolean isFresh) {

        static Sender token(String secret, Optional<Access> access) {
            return new Sender("Authorization: Bearer " + secret + "\r\n", access, false);
        }

        boolean may(Endpoint endpoint) {
            return endpoint.isOpen()
                    || access.filter(who -> endpoint.permits(who) && (isFresh || !endpoint.needsFresh(who)))
                            .isPresent();
        }
    }

    /** A54. No byte of the bodies is sent, so an answer shows that nothing was waited for. */
    @Test
    void rightsAndSizesAreCheckedBeforeABodyIsRead() throws Exception {
        List<Sender> senders = new ArrayList<>();
        senders.add(new Sender("", Optional.empty(), false));
        senders.add(Sender.token("unknown", Optional.empty()));
        senders.add(Sender.token(Files.readString(center.adminTokenFile()).strip(), Optional.of(Access.MACHINE)));
        Account account = ApiClient.account(center, "owner", Grant.of(Role.VIEWER));
        for (Scope scope : List.of(Scope.NODE, Scope.READ_ONLY)) {
            ApiTokens tokens = center.people().tokens();
            String secret = center.people().database().write(client -> tokens.create(
                            client, account.id(), scope.word(), Set.of(scope), Optional.empty(), Long.MAX_VALUE)
                    .secret());
            senders.add(Sender.token(secret, tokens.access(secret)));
        }
        senders.addAll(people(Role.ADMINISTRATOR));
        senders.addAll(people(Role.VIEWER));
        for (Endpoint endpoint : AccessTable.endpoints()) {
            if (endpoint.method().equals("GET")) {
                continue;
            }
            for (Sender sender : senders) {
                boolean may = sender.may(endpoint);
                assertRefusedUnread(
                        endpoint, sender.header(), may ? 413 : sender.access().isEmpty() ? 401 : 403);
            }
        }
    }

    /** People who have just signed in, and people whose factor is old. */
    private static List<Sender> people(Role role) {
        Account account = ApiClient.account(center, "person-" + role.ordinal(), Grant.of(role));
        Access access = Access.person(new Actor("person"), account.id(), List.of(Grant.of(role)));
        return List.of(
                new Sender(proven(fresh(account)), Optional.of(access), true),
                new Sender(proven(center.people().sessions().begin(account, OLD)), Optional.of(access), false));
    }

    private static String fresh(Account account) {
        return center.people().sessions().begin(account, FactorGrantedAuthority.PASSWORD_AUTHORITY);
    }

    private static String proven(String session) {
        return cookie(session) + SessionCsrf.HEADER + ": " + SessionCsrf.of(session) + "\r\n";
    }

    private static String cookie(String session) {
        return "Cookie: sluice_session=" + session + "\r\n";
    }

    /** A54. Another page makes the browser send the cookie, but cannot know the value of the header. */
    @Test
    void aSessionWithoutItsHeaderIsRefusedBeforeABodyIsRead() {
        Account account = ApiClient.account(center, "visitor", Grant.of(Role.ADMINISTRATOR));
        String cookie = cookie(fresh(account));
        for (Endpoint endpoint : AccessTable.endpoints()) {
            if (!endpoint.method().equals("GET") && !endpoint.isOpen()) {
                assertRefusedUnread(endpoint, cookie, 403);
            }
        }
    }

    private static void assertRefusedUnread(Endpoint endpoint, String header, int status) {
        String path = endpoint.path().replaceAll("\\{[^}]+}", "1");
        String expected = "HTTP/1.1 " + status;
        String head = endpoint.method() + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header;
        assertThat(answer(head + "Content-Length: " + (endpoint.maxBody() + 1L) + "\r\n\r\n"))
                .as("%s", head)
                .isEqualTo(expected);
        if (endpoint.maxBody() <= 64 * 1024) {
            String chunk = status != 413
                    ? ""
                    : Integer.toHexString(endpoint.maxBody() + 1) + "\r\n" + "x".repeat(endpoint.maxBody() + 1);
            assertThat(answer(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk))
                    .as("%s, in chunks", head)
                    .isEqualTo(expected);
        }
    }

    @Test
    void anOldFactorNeverMakesAFreshOne() {
        Account account = ApiClient.account(center, "old", Grant.of(Role.ADMINISTRATOR));
        Account other = ApiClient.account(center, "other", Grant.of(Role.APPROVER));
        String session =
                center.people().sessions().begin(account, new Factor(FactorGrantedAuthority.PASSWORD_AUTHORITY, 1));
        ApiClient stolen = ApiClient.session(center, session);
        stolen.get("/api/users").expect(200);
        stolen.post("/api/users/" + other.id() + "/link", "").expect(403);
        stolen.post("/api/users", "{\"user\":\"new\",\"roles\":[{\"role\":\"approver\"}]}")
                .expect(403);
        stolen.put("/api/users/" + other.id(), "{\"disabled\":true}").expect(403);
        ApiClient fresh = ApiClient.person(center, account);
        fresh.post("/api/users/" + account.id() + "/link", "").expect(409);
        fresh.post("/api/users/" + other.id() + "/link", "").expect(201);
    }

    private static String answer(String request) {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return answer(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), center.address().getPort());
    }

    private static String answer(Socket socket) throws IOException {
        byte[] head = socket.getInputStream().readNBytes(12);
        return new String(head, StandardCharsets.US_ASCII);
    }
}
