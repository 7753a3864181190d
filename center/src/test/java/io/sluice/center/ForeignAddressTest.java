package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attack A29: the center never connects to an address that a caller or a node names. */
class ForeignAddressTest {

    @TempDir
    Path data;

    @Test
    void theCenterNeverConnectsToAnAddressThatSomebodyNames() throws Exception {
        try (Trap trap = new Trap();
                SecondPerson people = SecondPerson.in(data)) {
            String url = "http://127.0.0.1:" + trap.port() + "/x";
            String at = "127.0.0.1:" + trap.port();
            ApiClient root = people.as("root");
            String change = ApiClient.change(people.version(), ApiClient.put("login", 5));
            root.post(
                    "/api/changes",
                    change.replace("\"test\"", "\"" + url + "\"").replace("to test", url));
            root.post("/api/changes", change.replace("\"/login\"", "\"" + url + "\""));
            root.post("/api/changes", change.replace("\"resource\"", "\"webhook\":\"" + url + "\",\"resource\""));
            root.post(
                    "/api/changes",
                    change.replace(
                            "\"resource\"",
                            "\"labels\":{\"owner\":\"" + url + "\"},\"tenant\":\"" + at + "\",\"resource\""));
            root.post("/api/changes", "{\"title\":\"x\",\"reason\":\"x\",\"base\":1,\"document\":\"" + url + "\"}");
            root.post("/api/changes", "{\"title\":\"x\",\"reason\":\"x\",\"base\":1,\"content_of\":\"" + url + "\"}");
            root.post("/api/users", "{\"user\":\"u\",\"display_name\":\"" + url + "\",\"email\":\"a@" + at + "\"}");
            root.post("/api/tokens", "{\"name\":\"" + url + "\",\"scopes\":[\"read\"],\"callback\":\"" + url + "\"}");
            root.post("/api/approval-settings", "{\"raise\":3,\"reason\":\"" + url + "\",\"notify\":\"" + url + "\"}");
            root.post(
                    "/api/overrides",
                    "{\"rule\":\"first\",\"limit\":\"first.0\",\"caller\":{\"ip\":\"127.0.0.1\"},"
                            + "\"numbers\":{\"limit\":6},\"in\":\"1h\",\"reason\":\"" + url + "\"}");
            root.with(
                            "X-Forwarded-For", at,
                            "X-Forwarded-Host", at,
                            "Forwarded", "for=\"" + at + "\";host=\"" + at + "\"",
                            "X-Original-URL", url,
                            "Referer", url,
                            "User-Agent", url)
                    .get("/api/rules");
            for (String path : List.of(
                    "/sign-in/oidc/" + at + "?to=" + url,
                    "/sign-in/oidc/x/callback?iss=" + url + "&state=x&code=x",
                    "/api/rules?source=" + url,
                    "/api/audit?actor=" + url)) {
                new PageClient(people.center()).get(path);
                root.get(path);
            }
            new PageClient(people.center()).post("/api/session", "{\"user\":\"a@" + at + "\",\"password\":\"x\"}");
            people.machine()
                    .post("/api/nodes/n1/heartbeat", report(url).toJson())
                    .expect(200);
            assertThat(people.machine().get("/api/nodes").expect(200).text()).contains(at);
            people.machine().release("login", 6);
            people.clock().advance(Duration.ofHours(30));
            people.await("the center has done all that it does", () -> people.machine()
                    .get("/api/status")
                    .expect(200)
                    .json()
                    .get("leader")
                    .asBoolean());
            assertThat(trap.connections()).isZero();
            trap.check();
        }
    }

    private static NodeReport report(String url) {
        return new NodeReport(
                new NodeIdentity("n1", NodeReport.Kind.NODE, url, url, 1),
                1,
                RulesInForce.of(0, "", 0),
                new NodeHealth(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED, List.of(url), Optional.empty()));
    }

    /** A server that counts who connects to it. */
    private static final class Trap implements AutoCloseable {

        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final AtomicInteger connections = new AtomicInteger();
        private final Thread thread = new Thread(this::accept, "trap");

        Trap() throws Exception {
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            while (!socket.isClosed()) {
                try (Socket unused = socket.accept()) {
                    connections.incrementAndGet();
                } catch (java.io.IOException e) {
                    return;
                }
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        int connections() {
            return connections.get();
        }

        /** Connects itself, so that a trap that counts nothing is noticed. */
        void check() throws Exception {
            new Socket(InetAddress.getLoopbackAddress(), port()).close();
            io.sluice.testkit.Await.until("the trap works", Duration.ofMinutes(5), () -> connections() == 1);
        }

        @Override
        public void close() throws Exception {
            socket.close();
            thread.join();
        }
    }
}
