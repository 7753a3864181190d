package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.LostCenterException;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.http.CenterStub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CenterFleetLineTest {

    private static final NodeReport REPORT = new NodeReport(
            new NodeIdentity("shop:8082", Kind.APPLICATION, "é", "0.1.0", 1),
            3,
            RulesInForce.of(0, "", 0),
            new NodeHealth(Mode.LOCAL, Breaker.NONE, List.of("x"), Optional.empty()));

    @TempDir
    private Path folder;

    private final CenterStub stub = CenterStub.start().expect("secret-token");
    private Center center;
    private CenterFleetLine line;

    @BeforeEach
    void connect() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token\n");
        center = Center.at(CenterAddress.of(stub.url(), token));
        line = new CenterFleetLine(center);
    }

    @AfterEach
    void close() {
        stub.close();
    }

    @Test
    void sendsTheReportAndReadsTheAnswer() throws Exception {
        Fleet fleet = new Fleet(3, 12, "ab".repeat(32), 5);
        stub.answerReports(200, fleet.toJson());

        assertThat(line.send(REPORT)).contains(fleet);

        assertThat(NodeReport.parse(stub.report())).isEqualTo(REPORT);
        assertThat(stub.requests()).containsExactly("POST /api/nodes/shop:8082/heartbeat Bearer secret-token");
    }

    @ParameterizedTest
    @CsvSource({
        "200, <html>, its answer is unreadable: ",
        "200, {}, its answer is unreadable: nodes: missing",
        "200, '', its answer is unreadable: ",
        "204, '', it answers 204",
        "500, {}, it answers 500",
        "401, {}, 'it answers 401, the token in '",
        "302, http://127.0.0.1:1/x, 'it answers 302, and redirects are not followed'"
    })
    void saysWhatIsWrongWithTheAnswer(int status, String body, String why) {
        stub.answerReports(status, body);

        assertThatExceptionOfType(LostCenterException.class)
                .isThrownBy(() -> line.send(REPORT))
                .withMessageStartingWith(why)
                .matches(LostCenterException::answered);
    }

    @Test
    void doesNotReadAnEndlessAnswer() {
        stub.answerReports(200, " ".repeat(10_000_000));

        assertThatExceptionOfType(LostCenterException.class)
                .isThrownBy(() -> line.send(REPORT))
                .withMessage("its answer has more than 500000 bytes");
    }

    @Test
    void reachesACenterThatWasAway() throws Exception {
        stub.close();
        assertThatExceptionOfType(LostCenterException.class)
                .isThrownBy(() -> line.send(REPORT))
                .withMessage("it accepts no connection")
                .matches(e -> !e.answered());
        try (CenterStub again = CenterStub.start(stub.port())) {
            again.answerReports(200, new Fleet(1, 0, "", 0).toJson());
            assertThat(line.send(REPORT)).contains(new Fleet(1, 0, "", 0));
        }
    }
}
