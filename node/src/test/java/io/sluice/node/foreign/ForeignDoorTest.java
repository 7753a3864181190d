package io.sluice.node.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.node.Node;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Adds a door that this project does not know: a class and a line in META-INF/services. */
@Timeout(300)
class ForeignDoorTest {

    private static final RulesFrom RULES = new RulesFrom.Text(
            "rules", "rules: [{ id: a, limits: [{ by: user, algorithm: fixed_window, limit: 2, align: year }] }]");

    @BeforeEach
    void forget() {
        LineDoor.STEPS.clear();
    }

    @Test
    void decidesByTheRulesOfTheNodeAndStartsAndStopsWithIt() throws Exception {
        int port;
        try (Node node = Node.start(config("doors: { lines: { port: 0 } }"))) {
            port = Integer.parseInt(LineDoor.STEPS.get(0).substring("open ".length()));
            assertThat(answers(port, "ann", "ann", "ann", "bob")).containsExactly("pass", "pass", "refuse", "pass");
            assertThat(node.findings()).contains("lines are slow today");
            assertThat(get(node, "/metrics")).contains("sluice_connections_refused_total{door=\"lines\"} 7.0");
            assertThat(get(node, "/health")).contains("lines are slow today");
        }

        assertThat(LineDoor.STEPS).containsExactly("open " + port, "warm up", "serve", "leave", "close");
    }

    @Test
    void isNotOpenedWithoutItsSection() throws Exception {
        try (Node node = Node.start(config("{}"))) {
            assertThat(node.apiPort()).isPositive();
            assertThat(LineDoor.STEPS).isEmpty();
        }
    }

    @Test
    void errorsInItsSectionHaveTheirLine() {
        assertThatThrownBy(() -> Node.start(config("doors:\n  lines:\n    prot: 1\n")))
                .isInstanceOfSatisfying(StartFailedException.class, failed -> assertThat(failed.details())
                        .singleElement()
                        .asString()
                        .contains("3", "unknown key: prot (expected: a known key; did you mean port?)"));
    }

    @Test
    void aSectionForWhichThereIsNoDoorIsRefused() {
        assertThatThrownBy(() -> Node.start(config("doors: { linse: { port: 0 } }")))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("doors.linse: no such door (expected: one of ")
                .hasMessageContainingAll("api", "grpc", "gateway", "lines");
    }

    private static NodeConfig config(String file) throws Exception {
        return NodeConfig.inProcess(RULES, 0)
                .withDoors(ConfigFile.parse(Path.of("sluice.yaml"), file).doors());
    }

    private static List<String> answers(int port, String... users) throws Exception {
        List<String> answers = new ArrayList<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (String user : users) {
                out.println(user);
                answers.add(in.readLine());
            }
        }
        return answers;
    }

    private static String get(Node node, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + path))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }
}
