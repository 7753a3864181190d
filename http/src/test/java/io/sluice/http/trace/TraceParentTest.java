package io.sluice.http.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.pattern.Origin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String VALID = "00-" + TRACE + "-" + SPAN + "-01";

    @Test
    void readsTheExampleOfTheStandard() {
        assertThat(TraceParent.parse(VALID)).isEqualTo(new TraceParent(TRACE, SPAN, true));
        assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-00"))
                .isEqualTo(new TraceParent(TRACE, SPAN, false));
    }

    @Test
    void onlyTheLastFlagSaysSampled() {
        assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-fe"))
                .isEqualTo(new TraceParent(TRACE, SPAN, false));
        assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-ff")).isEqualTo(new TraceParent(TRACE, SPAN, true));
    }

    @Test
    void readsTheBeginningOfALaterVersion() {
        TraceParent known = new TraceParent(TRACE, SPAN, true);
        assertThat(TraceParent.parse("01-" + TRACE + "-" + SPAN + "-01")).isEqualTo(known);
        assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01-what-the-future-will-be-like"))
                .isEqualTo(known);
        assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01.what")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
                "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "0X-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
                " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n",
                "\u0660\u0660-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-\uff11bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "${jndi:ldap://x}-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b"
            })
    void refusesWhatTheStandardDoesNotAllow(String text) {
        assertThat(TraceParent.parse(text)).isNull();
    }

    @Test
    void refusesTwoHeadersAndNone() {
        assertThat(TraceParent.read(List.of())).isNull();
        assertThat(TraceParent.read(List.of(VALID, VALID))).isNull();
        assertThat(TraceParent.read(List.of(VALID))).isNotNull();
        assertThat(TraceParent.read(List.of("a".repeat(1 << 20)))).isNull();
    }

    @Test
    void writesWhatItReads() {
        assertThat(new TraceParent(TRACE, SPAN, true).text()).isEqualTo(VALID);
        for (int i = 0; i < 1_000; i++) {
            TraceParent made = new TraceParent(TraceParent.newTraceId(), TraceParent.newSpanId(), i % 2 == 0);
            assertThat(TraceParent.parse(made.text())).isEqualTo(made);
        }
    }

    @Test
    void readsTheOriginOfARequest() {
        assertThat(origin(Map.of())).isSameAs(Origin.UNKNOWN);
        assertThat(origin(Map.of("traceparent", List.of("nonsense"), "x-request-id", List.of("a\nb"))))
                .isSameAs(Origin.UNKNOWN);
        assertThat(origin(Map.of("x-request-id", List.of("r-1")))).isEqualTo(new Origin("r-1", "", "", false));
        assertThat(origin(Map.of("traceparent", List.of(VALID), "x-request-id", List.of("r-1", "r-2"))))
                .isEqualTo(new Origin("", TRACE, SPAN, true));
        assertThat(origin(Map.of("x-request-id", List.of("x".repeat(129))))).isSameAs(Origin.UNKNOWN);
    }

    private static Origin origin(Map<String, List<String>> headers) {
        return RequestOrigin.of(name -> headers.getOrDefault(name, List.of()));
    }
}
