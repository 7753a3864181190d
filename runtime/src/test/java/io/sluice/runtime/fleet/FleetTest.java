package io.sluice.runtime.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.runtime.caller.CallerQuestion;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetTest {

    private static final String DIGEST = "0f".repeat(32);

    @Test
    void isWrittenAsTheContractSays() {
        assertThat(new Fleet(3, 12, DIGEST, 1_700_000_000_000L).toJson())
                .isEqualTo("{\"nodes\":3,\"version\":12,\"digest\":\"" + DIGEST + "\",\"at\":1700000000000}");
    }

    @Test
    void readsWhatItWrites() {
        Fleet fleet = new Fleet(3, 12, DIGEST, 1_700_000_000_000L);

        assertThat(Fleet.parse(fleet.toJson())).isEqualTo(fleet);
        assertThat(Fleet.parse(new Fleet(0, 0, "", 0).toJson())).isEqualTo(new Fleet(0, 0, "", 0));
    }

    /** Older nodes know no questions about requests, and would refuse the whole answer if these were in the same list. */
    @Test
    void questionsAboutRequestsHaveAListOfTheirOwn() {
        CallerQuestion caller = new CallerQuestion(1, "h", CallerQuestion.Kind.EXPLAIN);
        CallerQuestion request = CallerQuestion.about(2, Map.of("path", "/a\"\u0001", "user", "ann"));
        Fleet fleet = new Fleet(3, 12, DIGEST, 5).with(OptionalLong.of(7), List.of(caller, request));

        assertThat(Fleet.parse(fleet.toJson())).isEqualTo(fleet);
        assertThat(fleet.toJson()).contains("\"questions\":[{\"id\":1,\"hash\":\"h\",\"kind\":\"explain\"}]");
        assertThat(fleet.toString()).doesNotContain("ann");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\"b", "a\\", "json.\u7528\u6237", "json.\u4e0a", "x\":\"\",\"version", "\u0001"})
    void anyNameOfAnAttributeReachesTheNodeAsItIs(String name) {
        Fleet fleet = new Fleet(3, 12, DIGEST, 5)
                .with(OptionalLong.empty(), List.of(CallerQuestion.about(2, Map.of(name, "1", "user", "ann"))));

        assertThat(Fleet.parse(fleet.toJson())).isEqualTo(fleet);
    }

    @Test
    void ignoresFieldsOfNewerCenters() {
        assertThat(Fleet.parse("{\"checkpoint\":{\"size\":7},\"nodes\":1,\"version\":0,\"digest\":\"\",\"at\":5}"))
                .isEqualTo(new Fleet(1, 0, "", 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>",
                "{}",
                "{\"nodes\":\"3\",\"version\":0,\"digest\":\"\",\"at\":5}",
                "{\"nodes\":-1,\"version\":0,\"digest\":\"\",\"at\":5}",
                "{\"nodes\":1000001,\"version\":0,\"digest\":\"\",\"at\":5}",
                "{\"nodes\":1,\"version\":1.0,\"digest\":\"\",\"at\":5}",
                "{\"nodes\":1,\"version\":0,\"digest\":null,\"at\":5}",
                "{\"nodes\":1,\"version\":0,\"digest\":\"xyz\",\"at\":5}",
                "{\"nodes\":1,\"version\":0,\"digest\":\"\",\"at\":-5}",
                "{\"nodes\":1,\"version\":0,\"digest\":\"\"}"
            })
    void refusesEverythingElse(String json) {
        assertThatIllegalArgumentException().isThrownBy(() -> Fleet.parse(json));
    }

    @Test
    void refusesAnEndlessAnswer() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fleet.parse(" ".repeat(Fleet.MOST_CHARACTERS) + "{}"))
                .withMessageContaining("at most " + Fleet.MOST_CHARACTERS);
    }
}
