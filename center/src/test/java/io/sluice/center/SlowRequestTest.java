package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.people.Factor;
import io.sluice.center.signin.SessionCsrf;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** Somebody is slow, or sends too much. */
class SlowRequestTest {

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

    private static Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), center.address().getPort());
    }

    private static String answer(Socket socket) throws IOException {
        byte[] head = socket.getInputStream().readNBytes(12);
        return new String(head, StandardCharsets.US_ASCII);
    }
}
