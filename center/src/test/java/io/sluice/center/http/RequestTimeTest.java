package io.sluice.center.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.refusal.RefusedException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RequestTimeTest {

    private static final Instant NOW = Instant.parse("2026-11-19T00:00:00Z");

    private static JsonNode body(String name, String text) {
        return JsonMapper.shared().valueToTree(Map.of(name, text));
    }

    @Test
    void readsATimeOrASpan() {
        assertThat(RequestTime.until(body("until", "2027-01-01T01:00:00+01:00"), NOW))
                .isEqualTo("2027-01-01T00:00:00Z");
        assertThat(RequestTime.until(body("in", "2h"), NOW)).isEqualTo("2026-11-19T02:00:00Z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2027-01-01T00:00:00",
                "1969-12-31T23:59:59Z",
                "-999999999-01-01T00:00:00Z",
                "+999999999-01-01T00:00:00Z",
                "soon"
            })
    void refusesWhatIsNoUsableTime(String text) {
        assertThatThrownBy(() -> RequestTime.until(body("until", text), NOW))
                .isInstanceOf(RefusedException.class)
                .hasMessageStartingWith("until: not a time with its zone");
    }
}
