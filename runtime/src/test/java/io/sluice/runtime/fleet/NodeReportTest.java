package io.sluice.runtime.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.NodeReport.Refusal;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeReportTest {

    private static final String DIGEST = "0f".repeat(32);
    private static final String JSON =
            "{\"node\":\"n-1\",\"kind\":\"node\",\"name\":\"shop:8082\",\"program\":\"0.1.0\","
                    + "\"started\":1700000000000,\"version\":12,\"digest\":\"" + DIGEST
                    + "\",\"applied\":1700000000500,"
                    + "\"refused\":{\"version\":13,\"digest\":\"\",\"errors\":[\"a \\\"b\\\"\"]},"
                    + "\"mode\":\"remote\",\"breaker\":\"half_open\",\"findings\":[\"c\"],\"beat\":7,\"follows\":true,"
                    + "\"adjustments\":0,\"tally\":[0,0,0,0,0,0],\"trial\":null}";

    private static final NodeReport REPORT = new NodeReport(
            new NodeIdentity("n-1", Kind.NODE, "shop:8082", "0.1.0", 1_700_000_000_000L),
            7,
            new RulesInForce(
                    12, DIGEST, 1_700_000_000_500L, Optional.of(new Refusal(13, "", List.of("a \"b\""))), true, 0),
            new NodeHealth(Mode.REMOTE, Breaker.HALF_OPEN, List.of("c"), Optional.empty()));

    @Test
    void isWrittenAsTheContractSays() {
        assertThat(REPORT.toJson()).isEqualTo(JSON);
        assertThat(empty().toJson())
                .isEqualTo("{\"node\":\"a\",\"kind\":\"application\",\"name\":\"\",\"program\":\"\",\"started\":0,"
                        + "\"version\":0,\"digest\":\"\",\"applied\":0,\"refused\":null,"
                        + "\"mode\":\"local\",\"breaker\":\"none\",\"findings\":[],\"beat\":0,\"follows\":true,"
                        + "\"adjustments\":0,\"tally\":[0,0,0,0,0,0],\"trial\":null}");
    }

    @Test
    void readsWhatItWrites() {
        assertThat(NodeReport.parse(REPORT.toJson())).isEqualTo(REPORT);
        assertThat(NodeReport.parse(empty().toJson())).isEqualTo(empty());
    }

    @Test
    void readsReportsOfOlderNodes() {
        String old = JSON.substring(0, JSON.indexOf(",\"adjustments\"")) + "}";

        assertThat(NodeReport.parse(old)).isEqualTo(REPORT);
    }

    @Test
    void carriesWhatWasCounted() {
        NodeReport report = counting();

        assertThat(report.toJson())
                .contains("\"adjustments\":7,\"tally\":[6,5,4,3,2,1],\"trial\":{\"version\":13,\"digest\":\"" + DIGEST
                        + "\",\"share\":5,\"watched\":true,\"trial\":[[1,0,0,0,0,0],[1,0,0,0,0,0],")
                .contains(",\"control\":[[123456789012345678,0,0,0,0,0],");
        assertThat(NodeReport.parse(report.toJson())).isEqualTo(report);
    }

    @Test
    void carriesTheHealthOfTheLimiter() {
        NodeReport report = healthy();

        assertThat(report.toJson())
                .endsWith(",\"health\":{\"mode_since\":1700000000500,\"store\":{\"kind\":\"redis\",\"p50_us\":320,"
                        + "\"p99_us\":1792,\"calls\":25,\"errors\":2,\"as_of\":1700000009000},"
                        + "\"on_failure\":{\"open\":3,\"local\":20,\"closed\":1}}}");
        assertThat(NodeReport.parse(report.toJson())).isEqualTo(report);
        assertThat(report.state().health()).isEqualTo(report.health());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"mode_since\":1700000000500|\"mode_since\":-1",
                "\"mode_since\":1700000000500|\"mode_since\":1000000000000000",
                "\"mode_since\":1700000000500|\"since\":1700000000500",
                "\"kind\":\"redis\"|\"kind\":\"mongo\"",
                "\"kind\":\"redis\"|\"kind\":7",
                "\"p50_us\":320|\"p50_us\":-1",
                "\"p99_us\":1792|\"p99_us\":9007199254740993",
                "\"p99_us\":1792|\"p99_us\":\"slow\"",
                "\"calls\":25|\"calls\":null",
                "\"errors\":2|\"errors\":1.5",
                "\"as_of\":1700000009000|\"as_of\":[]",
                "\"open\":3|\"open\":-3",
                "\"open\":3|\"open\":4294967299",
                "\"on_failure\":|\"others\":",
                "\"store\":|\"others\":"
            })
    void healthInUnknownWordsIsLeftOut(String right, String wrong) {
        String json = healthy().toJson();
        assertThat(json).contains(right);

        assertThat(NodeReport.parse(json.replace(right, wrong))).isEqualTo(REPORT);
    }

    @Test
    void saysWhetherItRecordsRequests() {
        NodeReport report = REPORT.answering(NodeAnswers::recording);
        assertThat(report.toJson()).endsWith(",\"records\":true}");
        assertThat(NodeReport.parse(report.toJson())).isEqualTo(report);
        assertThat(report.state().answers().records()).isTrue();
        assertThat(NodeReport.parse(REPORT.toJson()).answers().records()).isFalse();
    }

    @Test
    void carriesThatTheProcessExplainsRequests() {
        NodeReport report = REPORT.answering(NodeAnswers::explaining);

        assertThat(report.toJson()).endsWith(",\"explains\":true}");
        assertThat(NodeReport.parse(report.toJson())).isEqualTo(report);
        assertThat(report.state().answers().explains()).isTrue();
        assertThat(NodeReport.parse(REPORT.toJson()).answers().explains()).isFalse();
    }

    private static NodeReport healthy() {
        LimiterHealth limiter = new LimiterHealth(
                1_700_000_000_500L,
                new StoreHealth(StoreHealth.Kind.REDIS, 320, 1_792, 25, 2, 1_700_000_009_000L),
                new LimiterHealth.OnFailure(3, 20, 1));
        return new NodeReport(
                REPORT.identity(),
                REPORT.beat(),
                REPORT.rules(),
                new NodeHealth(Mode.REMOTE, Breaker.HALF_OPEN, List.of("c"), Optional.of(limiter)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"adjustments\":7|\"adjustments\":-7",
                "\"adjustments\":7|\"adjustments\":\"7\"",
                "[6,5,4,3,2,1]|[6,5,4,3,2]",
                "[6,5,4,3,2,1]|[6,5,4,3,2,1,0]",
                "[6,5,4,3,2,1]|[6,5,4,3,2,-1]",
                "[6,5,4,3,2,1]|{}",
                "[6,5,4,3,2,1]|null",
                "\"trial\":[[1,0,0,0,0,0],|\"trial\":[",
                "\"trial\":[[1,0,0,0,0,0],|\"trial\":[1,",
                "\"control\":|\"others\":",
                "\"trial\":{\"version\":13|\"trial\":{\"version\":-1"
            })
    void refusesWrongCounts(String right, String wrong) {
        String json = counting().toJson();
        assertThat(json).contains(right);

        assertThatIllegalArgumentException().isThrownBy(() -> NodeReport.parse(json.replace(right, wrong)));
    }

    private static NodeReport counting() {
        return new NodeReport(
                new NodeIdentity("n", Kind.NODE, "", "", 0),
                0,
                new RulesInForce(12, DIGEST, 0, Optional.empty(), true, 7),
                NodeHealth.of(Mode.REMOTE, Breaker.CLOSED),
                NodeAnswers.NONE,
                new NodeData(
                        new Tally(6, 5, 4, 3, 2, 1),
                        Optional.of(new TrialReport(
                                13,
                                DIGEST,
                                5,
                                true,
                                Collections.nCopies(32, new Tally(1, 0, 0, 0, 0, 0)),
                                Collections.nCopies(32, new Tally(123456789012345678L, 0, 0, 0, 0, 0)))),
                        Optional.empty()));
    }

    @Test
    void ignoresFieldsOfNewerNodes() {
        assertThat(NodeReport.parse("{\"counts\":[{\"rule\":1}]," + JSON.substring(1)))
                .isEqualTo(REPORT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"node\":\"n-1\"|\"node\":\"n 1\"",
                "\"node\":\"n-1\"|\"node\":\"\"",
                "\"node\":\"n-1\"|\"node\":1",
                "\"kind\":\"node\"|\"kind\":\"NODE\"",
                "\"kind\":\"node\"|\"kind\":\"center\"",
                "\"kind\":\"node\"|\"kind\":null",
                "\"version\":12|\"version\":\"12\"",
                "\"version\":12|\"version\":-1",
                "\"version\":12|\"version\":1000000000000000",
                "\"digest\":\"\"|\"digest\":\"g\"",
                "\"mode\":\"remote\"|\"mode\":\"distributed\"",
                "\"breaker\":\"half_open\"|\"breaker\":\"half-open\"",
                "\"findings\":[\"c\"]|\"findings\":\"c\"",
                "\"findings\":[\"c\"]|\"findings\":[1]",
                "\"beat\":7|\"beat\":-7",
                "\"beat\":7|\"pulse\":7",
                "\"follows\":true|\"follows\":\"true\"",
                "\"refused\":{\"version\":13|\"refused\":{\"other\":13"
            })
    void refusesAWrongField(String right, String wrong) {
        assertThat(JSON).contains(right);

        assertThatIllegalArgumentException().isThrownBy(() -> NodeReport.parse(JSON.replace(right, wrong)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "[]", "{}", "null", "{\"node\":"})
    void refusesEverythingElse(String json) {
        assertThatIllegalArgumentException().isThrownBy(() -> NodeReport.parse(json));
    }

    @Test
    void cutsLongTextsAndLists() {
        String longText = "x".repeat(999) + "😀" + "y".repeat(2_000);
        NodeReport report = new NodeReport(
                new NodeIdentity("n", Kind.NODE, longText, longText, 0),
                0,
                new RulesInForce(
                        1, DIGEST, 0, Optional.of(new Refusal(0, "", Collections.nCopies(30, longText))), true, 0),
                new NodeHealth(Mode.OPEN, Breaker.OPEN, Collections.nCopies(30, "\0".repeat(2_000)), Optional.empty()));

        assertThat(report.identity().name()).isEqualTo("x".repeat(999));
        assertThat(report.health().findings()).hasSize(20).allMatch(text -> text.length() == 1_000);
        assertThat(report.rules().refused().orElseThrow().errors()).hasSize(5);
        assertThat(report.toJson().length()).isLessThan(NodeReport.MOST_CHARACTERS);
        assertThat(NodeReport.parse(report.toJson())).isEqualTo(report);
    }

    @Test
    void cutsWhatANodeSentTooLong() {
        String json = JSON.replace("\"c\"", "\"c\"" + ",\"c\"".repeat(40)).replace("shop:8082", "s".repeat(5_000));

        NodeReport report = NodeReport.parse(json);

        assertThat(report.health().findings()).hasSize(20);
        assertThat(report.identity().name()).hasSize(1_000);
    }

    @Test
    void refusesAnEndlessReport() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeReport.parse(" ".repeat(NodeReport.MOST_CHARACTERS) + JSON))
                .withMessageContaining("at most 1000000");
    }

    private static NodeReport empty() {
        return new NodeReport(
                new NodeIdentity("a", Kind.APPLICATION, "", "", 0),
                0,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(Mode.LOCAL, Breaker.NONE));
    }
}
