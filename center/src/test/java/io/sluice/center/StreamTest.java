package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.people.Account;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.People;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What happens, as listeners hear it over HTTP. */
class StreamTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final String ACME = "{\"put\":{\"id\":\"acme-login\",\"tenant\":\"acme\",\"resource\":\"/a\","
            + "\"match\":{\"tenant\":\"acme\"},\"limits\":[{\"by\":\"ip\",\"limit\":5,\"window\":\"1m\"}]}}";

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

    /** An event. */
    private record Event(String topic, JsonNode json) {}

    /** A listener. */
    private final class Ear {

        private final BufferedReader in;

        Ear(String query, String token) throws IOException {
            Socket socket = connect(query, token, 64 * 1024);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).contains(" 200");
            String line = in.readLine();
            while (line != null && !line.equals(": listening")) {
                line = in.readLine();
            }
            assertThat(line).isNotNull();
        }

        /** Returns the next event that is not only a sign of life. */
        Event next() throws IOException {
            Event event = any();
            while (event.topic().equals("alive")) {
                event = any();
            }
            return event;
        }

        Event any() throws IOException {
            String topic = "";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("event: ")) {
                    topic = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    return new Event(topic, JsonMapper.shared().readTree(line.substring(6)));
                }
            }
            throw new IOException("the stream ended");
        }

        Event anyUnchecked() {
            try {
                return any();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Event next(Predicate<Event> wanted) throws IOException {
            Event event = next();
            while (!wanted.test(event)) {
                event = next();
            }
            return event;
        }
    }

    private Socket connect(String query, String token, int buffer) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(buffer);
        socket.setSoTimeout((int) LONG.toMillis());
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), center.address().getPort()));
        sockets.add(socket);
        socket.getOutputStream()
                .write(("GET /api/stream" + query + " HTTP/1.0\r\nHost: center\r\nAuthorization: Bearer " + token
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String adminToken() throws IOException {
        return Files.readString(center.adminTokenFile()).strip();
    }

    private Ear listen(String query) throws IOException {
        return new Ear(query, adminToken());
    }

    private ApiTokens.Created token(Optional<String> tenant) {
        People people = center.people();
        Account owner = ApiClient.account(center, "owner", Grant.of(Role.ADMINISTRATOR));
        return people.database().write(client -> people.tokens()
                .create(client, owner.id(), "listener", Set.of(Scope.READ_ONLY), tenant, Long.MAX_VALUE));
    }

    /** Returns a second that began after everybody who listens now. */
    private static long second() {
        return Instant.now().getEpochSecond() + 1;
    }

    private static Figures figures(int allowed, int refused) {
        return new Figures(allowed, refused, 1, 2);
    }

    @Test
    void countsAddUpToWhatWasSent() throws Exception {
        Ear ear = listen("?topics=counts");
        Map<String, Figures> expected = new HashMap<>();
        Figures fleet = Figures.NONE;
        List<DataNode> nodes = List.of(new DataNode(api, "n1"), new DataNode(api, "n2"), new DataNode(api, "n3"));
        for (int round = 0; round < 3; round++) {
            for (DataNode node : nodes) {
                Map<String, Figures> sent = Map.of("login", figures(10 + round, 3), "", figures(2, 0));
                node.counted(second() + round % 2, sent).report();
                sent.forEach((rule, figures) -> expected.merge(rule, figures, Figures::plus));
                fleet = fleet.plus(sent.get("login")).plus(sent.get(""));
            }
        }
        Map<String, Figures> heard = new HashMap<>();
        Figures heardFleet = Figures.NONE;
        while (heardFleet.requests() < fleet.requests()) {
            JsonNode counts = ear.next().json();
            counts.get("rules")
                    .properties()
                    .forEach(rule -> heard.merge(rule.getKey(), figures(rule.getValue()), Figures::plus));
            heardFleet = heardFleet.plus(figures(counts.get("fleet")));
        }
        assertThat(heard).isEqualTo(expected);
        assertThat(heardFleet).isEqualTo(fleet);
    }

    private static Figures figures(JsonNode json) {
        assertThat(json.get("requests").asLong())
                .isEqualTo(json.get("allowed").asLong() + json.get("refused").asLong());
        return new Figures(
                json.get("allowed").asLong(),
                json.get("refused").asLong(),
                json.get("shadow_refused").asLong(),
                json.get("degraded").asLong());
    }

    @Test
    void refusalsAreToldWithTheirNode() throws Exception {
        Ear all = listen("?topics=decisions");
        Ear one = listen("?topics=decisions&rule=orders");
        long now = Instant.now().toEpochMilli();
        new DataNode(api, "n1")
                .decided(
                        DataNode.decision(now, "a", "login", Outcome.ALLOWED),
                        DataNode.decision(now, "b", "login", Outcome.REJECTED),
                        DataNode.decision(now, "c", "orders", Outcome.DENIED))
                .report();
        JsonNode first = all.next().json();
        assertThat(first.get("request_id").asString()).isEqualTo("b");
        assertThat(first.get("node").asString()).isEqualTo("n1");
        assertThat(all.next().json().get("request_id").asString()).isEqualTo("c");
        assertThat(one.next().json().get("request_id").asString()).isEqualTo("c");
    }

    @Test
    void nodesAreToldWhenTheyAppearChangeAndFallSilent() throws Exception {
        Ear ear = listen("?topics=nodes");
        DataNode node = new DataNode(api, "n1").report();
        assertThat(ear.next().json().get("change").asString()).isEqualTo("appeared");
        node.in(NodeReport.Mode.LOCAL).report();
        JsonNode changed = ear.next(event -> event.json().get("mode").asString().equals("local"))
                .json();
        assertThat(changed.get("node").asString()).isEqualTo("n1");
        JsonNode silent =
                ear.next(event -> !event.json().get("live").asBoolean()).json();
        assertThat(silent.get("change").asString()).isEqualTo("silent");
        node.report();
        assertThat(ear.next().json().get("change").asString()).isEqualTo("back");
    }

    @Test
    void signsOfLifeAreEventsWhateverTheTopic() throws Exception {
        center.close();
        ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
        center = Center.open(PreparedCenter.in(data), clock);
        Ear ear = listen("?topics=alerts&rule=login");
        // Nothing else happens, and each sign is a whole event, which a browser tells its scripts.
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Event> sign = CompletableFuture.supplyAsync(ear::anyUnchecked);
            Await.until("a sign of life", LONG, () -> {
                clock.advance(Duration.ofSeconds(1));
                return sign.isDone();
            });
            Event event = sign.get();
            assertThat(event.topic()).isEqualTo("alive");
            assertThat(event.json().isObject()).isTrue();
            assertThat(event.json()).isEmpty();
        }
    }

    @Test
    void releasesAreTold() throws Exception {
        Ear ear = listen("?topics=releases");
        api.release("login", 5);
        JsonNode event = ear.next().json();
        assertThat(event.get("version").asLong()).isEqualTo(1);
        assertThat(event.get("state").asString()).isIn("releasing", "done");
    }

    @Test
    void somebodyOfATenantHearsOnlyOfOwnRules() throws Exception {
        api.release(api.post("/api/changes", ApiClient.change(0, ACME + "," + ApiClient.put("common", 5)))
                .expect(201));
        Ear ear = new Ear("", token(Optional.of("acme")).secret());
        DataNode node = new DataNode(api, "secret-node");
        long now = Instant.now().toEpochMilli();
        center.stream().publish("alerts", "{\"text\":\"hidden\"}", access -> access.seesAll());
        node.decided(
                        DataNode.decision(now, "hidden1", "common", Outcome.REJECTED),
                        DataNode.decision(now, "hidden2", "", Outcome.REJECTED),
                        DataNode.decision(now, "own", "acme-login", Outcome.REJECTED))
                .counted(second(), Map.of("common", figures(1, 1), "", figures(1, 1), "acme-login", figures(7, 3)))
                .report();
        boolean isDecided = false;
        boolean isCounted = false;
        while (!isDecided || !isCounted) {
            Event event = ear.next();
            String text = event.json().toString();
            assertThat(text).doesNotContain("hidden", "secret-node", "common", "fleet");
            isDecided |= event.topic().equals("decisions") && text.contains("\"own\"");
            isCounted |= event.topic().equals("counts")
                    && event.json().at("/rules/acme-login/requests").asLong() == 10;
        }
    }

    @Test
    void aSlowListenerIsCutOffAndDelaysNoOther() throws Exception {
        Socket slow = connect("?topics=alerts", adminToken(), 4 * 1024);
        Await.until("it listens", LONG, () -> center.stream().size() == 1);
        Ear quick = listen("?topics=alerts");
        String text = "{\"text\":\"" + "x".repeat(100_000) + "\"}";
        int sent = 0;
        while (center.stream().size() == 2) {
            center.stream().publish("alerts", text, access -> true);
            assertThat(quick.next().json().get("text").asString()).hasSize(100_000);
            assertThat(++sent).isLessThan(1_000);
        }
        // What it did not read is lost, and its connection ends.
        long read = 0;
        try {
            for (int bytes = slow.getInputStream().read(new byte[65_536]); bytes >= 0; ) {
                read += bytes;
                bytes = slow.getInputStream().read(new byte[65_536]);
            }
        } catch (SocketException e) {
            // Reset.
        }
        assertThat(read).isLessThan(sent * 100_000L);
    }

    /** Readers whose connection breaks off without a word. */
    @Test
    void listenersThatWereCutOffMakeRoomForOthers() throws Exception {
        List<Socket> cut = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            cut.add(connect("?topics=alerts", adminToken(), 4 * 1024));
        }
        Await.until("they listen", LONG, () -> center.stream().size() == 50);
        assertThat(api.get("/api/stream").expect(503).text()).contains("too many listeners");
        for (Socket each : cut) {
            each.setSoLinger(true, 0);
            each.close();
        }
        Await.until("their places are free", LONG, () -> {
            center.stream().publish("alerts", "{\"a\":1}", access -> true);
            return center.stream().size() == 0;
        });
        Ear ear = listen("?topics=alerts");
        center.stream().publish("alerts", "{\"a\":2}", access -> true);
        assertThat(ear.next().json().get("a").asInt()).isEqualTo(2);
    }

    @Test
    void aRevokedTokenEndsItsStream() throws Exception {
        ApiTokens.Created token = token(Optional.empty());
        Ear revoked = new Ear("?topics=alerts", token.secret());
        Ear other = listen("?topics=alerts");
        People people = center.people();
        people.database().write(client -> {
            people.tokens().revoke(client, token.token().id());
            return true;
        });
        assertThatThrownBy(revoked::next).hasMessage("the stream ended");
        center.stream().publish("alerts", "{\"a\":\n1}", access -> true);
        assertThat(other.next().json().get("a").asInt()).isEqualTo(1);
    }

    @Test
    void wrongQuestionsAndTooManyListenersAreRefused() throws Exception {
        assertThat(api.get("/api/stream?topics=counts,everything").expect(400).text())
                .contains("topics: everything");
        assertThat(api.get("/api/stream?rule=" + "x".repeat(300)).expect(400).type())
                .contains("problem+json");
        ApiClient.nobody(center).get("/api/stream").expect(401);
        for (int i = 0; i < 50; i++) {
            listen("");
        }
        assertThat(api.get("/api/stream").expect(503).text()).contains("too many listeners");
        assertThatThrownBy(() -> center.stream().publish("nothing", "{}", access -> true))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void streamsEndWhenTheCenterStops() throws Exception {
        Ear ear = listen("?topics=alerts");
        center.close();
        assertThatThrownBy(ear::next).isInstanceOf(IOException.class);
    }
}
