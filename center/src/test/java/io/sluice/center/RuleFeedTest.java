package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Scope;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.People;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.testkit.SeededRandom;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules over HTTP, as a node reads them. */
class RuleFeedTest {

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        center.close();
    }

    @Test
    void sendsEachReleaseWhole() throws Exception {
        BufferedReader stream = listen("");
        assertThat(event(stream)).containsExactly("event: none", "data: {}");
        api.release("login", 5);
        List<String> first = event(stream);
        assertThat(first.get(0)).isEqualTo("event: rules");
        assertThat(first.get(1)).isEqualTo("id: 1:" + api.get("/api/rules").string("digest"));
        assertThat(rules(first)).isInstanceOfSatisfying(Reading.Found.class, found -> assertThat(
                        found.rules().version())
                .isEqualTo(1));
        api.release("orders", 5);
        assertThat(rules(event(stream))).isInstanceOfSatisfying(Reading.Found.class, found -> assertThat(
                        found.rules().rules())
                .hasSize(2));
    }

    @Test
    void doesNotRepeatWhatANodeHas() throws Exception {
        api.release("login", 5);
        skipToRules(listen(""));
        String id = "1:" + api.get("/api/rules").string("digest");
        BufferedReader stream = listen("Last-Event-ID: " + id + "\r\n");
        api.release("login", 6);
        assertThat(event(stream).get(1)).startsWith("id: 2:");
    }

    @Test
    void aNodeThatDoesNotReadDelaysNoOther() throws Exception {
        api.release("login", 5);
        for (int i = 0; i < 50; i++) {
            // Their connections fill up.
            listenSlowly();
        }
        StringBuilder edits = new StringBuilder(ApiClient.put("r0", 1));
        for (int i = 1; i < SeededRandom.scaled(1_500, 5_000); i++) {
            edits.append(',').append(ApiClient.put("r" + i, 1));
        }
        BufferedReader reader = listen("");
        skipToRules(reader);
        for (int i = 1; i <= SeededRandom.scaled(3, 5); i++) {
            long version = api.release(api.post(
                            "/api/changes",
                            ApiClient.change(i, edits.toString().replace("\"limit\":1", "\"limit\":" + i)))
                    .expect(201));
            assertThat(event(reader).get(1)).startsWith("id: " + version + ":");
        }
    }

    @Test
    void tellsEveryNodeWhatItsCallersTry() throws Exception {
        api.release("login", 5);
        BufferedReader stream = listen("");
        skipToRules(stream);
        assertThat(anyEvent(stream))
                .containsExactly(
                        "event: state",
                        "data: {\"version\":1,\"trial\":null,\"adjustments\":{\"revision\":0,\"overrides\":[],\"switches\":[]}}");
        Answer trial = api.release(api.open(1, "login", 6).expect(201), "{\"callers\":[\"5%\",\"50%\"]}", "")
                .expect(202);
        List<String> tried = anyEvent(stream);
        assertThat(tried.get(0)).isEqualTo("event: trial");
        assertThat(rules(tried)).isInstanceOfSatisfying(Reading.Found.class, found -> assertThat(
                        found.rules().version())
                .isEqualTo(2));
        assertThat(anyEvent(stream).get(1))
                .contains("\"version\":1,")
                .containsPattern("\"trial\":\"2 callers 5 by ip key [0-9a-f]{16}\"");
        // A node that connects now gets all of it, and one that has the rules gets the rest.
        String id = "Last-Event-ID: 1:" + api.get("/api/rules").string("digest") + "\r\n";
        BufferedReader late = listen(id);
        assertThat(anyEvent(late).get(0)).isEqualTo("event: trial");
        assertThat(anyEvent(late).get(1)).contains("2 callers 5 by ip");

        // A wider share needs no rules again.
        String path = "/api/rollouts/" + trial.number("id");
        api.post(path + "/promote", "{\"reason\":\"x\"}").expect(202);
        assertThat(anyEvent(stream).get(1)).contains("2 callers 50 by ip");
        api.post(path + "/promote", "{\"reason\":\"x\"}").expect(202);
        assertThat(anyEvent(stream).get(1)).startsWith("id: 2:");
        assertThat(anyEvent(stream).get(1)).contains("\"version\":2,\"trial\":null,");
    }

    @Test
    void onlyNodesWithinTheShareGetAVersionThatNodesTry() throws Exception {
        api.release("login", 5);
        BufferedReader within = listenAs(node(true), "");
        BufferedReader outside = listenAs(node(false), "");
        skipToRules(within);
        skipToRules(outside);
        Answer trial = api.release(api.open(1, "login", 6).expect(201), "{\"nodes\":\"50%\"}", "")
                .expect(202);
        assertThat(event(within).get(1)).startsWith("id: 2:");
        assertThat(anyEvent(within).get(1)).contains("\"version\":2,\"trial\":null,");
        api.post("/api/rollouts/" + trial.number("id") + "/abort", "{\"reason\":\"x\"}")
                .expect(202);
        assertThat(event(within).get(1)).startsWith("id: 3:");
        assertThat(event(outside).get(1)).startsWith("id: 3:");
    }

    @Test
    void tellsEveryNodeAboutAdjustments() throws Exception {
        api.release("login", 5);
        BufferedReader stream = listen("");
        skipToRules(stream);
        assertThat(anyEvent(stream).get(1)).contains("\"revision\":0");
        api.post("/api/switch", "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(201);
        assertThat(anyEvent(stream).get(1)).contains("\"revision\":1").contains("\"rule\":\"*\"");
    }

    @Test
    void aRevokedTokenEndsItsStream() throws Exception {
        People people = center.people();
        ApiTokens.Created token = people.database().write(client -> people.tokens()
                .create(client, 0, "nodes", Set.of(Scope.NODE), Optional.empty(), Long.MAX_VALUE));
        BufferedReader revoked = listenAs("n1", token.secret(), "");
        BufferedReader other = listen("");
        event(revoked);
        people.database().write(client -> {
            people.tokens().revoke(client, token.token().id());
            return true;
        });
        for (String line = revoked.readLine(); line != null; line = revoked.readLine()) {
            assertThat(line).doesNotContain("login");
        }
        api.release("login", 5);
        event(other);
        assertThat(event(other).get(0)).isEqualTo("event: rules");
    }

    private static String node(boolean within) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "node-" + i)
                .filter(id -> new NodeShare(id).isWithin(50) == within)
                .findFirst()
                .orElseThrow();
    }

    private BufferedReader listen(String header) throws IOException {
        return listenAs("n1", header);
    }

    private BufferedReader listenAs(String node, String header) throws IOException {
        return listenAs(node, Files.readString(center.adminTokenFile()).strip(), header);
    }

    /** Listens and reads nothing. What the machine keeps of a connection that nobody reads is less than one release. */
    private void listenSlowly() throws IOException {
        String token = Files.readString(center.adminTokenFile()).strip();
        BufferedReader unused = listen(4 * 1024, "n1", token, "");
    }

    private BufferedReader listenAs(String node, String token, String header) throws IOException {
        return listen(64 * 1024, node, token, header);
    }

    private BufferedReader listen(int buffer, String node, String token, String header) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(buffer);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), center.address().getPort()));
        sockets.add(socket);
        socket.getOutputStream()
                .write(("GET /api/nodes/rules?node=" + node + " HTTP/1.0\r\nHost: center\r\nAuthorization: Bearer "
                                + token + "\r\n" + header + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        return reader;
    }

    /** Returns the lines of the next event but states, without headers and comments. */
    private static List<String> event(BufferedReader stream) throws IOException {
        List<String> event = anyEvent(stream);
        return event.get(0).equals("event: state") ? event(stream) : event;
    }

    /** Reads the first rules. A release is published after its answer, so a node that listens at once may first get that there are none. */
    private static void skipToRules(BufferedReader stream) throws IOException {
        while (!anyEvent(stream).get(0).equals("event: rules")) {
            // There are none yet.
        }
    }

    private static List<String> anyEvent(BufferedReader stream) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = stream.readLine(); line != null; line = stream.readLine()) {
            if (line.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            if (line.matches("(event|id|data):.*")) {
                lines.add(line);
            }
        }
        throw new IOException("the stream ended after " + lines);
    }

    private static Reading rules(List<String> event) {
        String text = String.join(
                "\n",
                event.stream()
                        .filter(line -> line.startsWith("data: "))
                        .map(line -> line.substring("data: ".length()))
                        .toList());
        return RuleSetText.read("event", text.getBytes(StandardCharsets.UTF_8));
    }
}
