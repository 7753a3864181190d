package io.sluice.center.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Access;
import io.sluice.center.data.StoredBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LiveCountsTest {

    private static final long NOW = 1_800_000_000L;

    private final LiveCounts counts = new LiveCounts();

    private void take(long second, long now, Map<String, Figures> rules) {
        byte[] content = new SecondCounts(second, rules, Latencies.of(new long[Latencies.SPANS])).toBytes();
        counts.take(
                new StoredBatch(1, "n", 1, 1, Kind.COUNTS, 0, content),
                now * 1_000,
                OptionalLong.of((NOW - 1) * 1_000));
    }

    private void take(long second, long now, int allowed) {
        take(second, now, Map.of("login", new Figures(allowed, 0, 0, 0)));
    }

    private List<JsonNode> due(long now) {
        return counts.due(now * 1_000, (access, rule) -> true).stream()
                .map(event -> JsonMapper.shared()
                        .readTree(event.json(Access.MACHINE, "").orElseThrow()))
                .toList();
    }

    @Test
    void aSecondIsToldTwoSecondsAfterItsEnd() {
        take(NOW, NOW + 1, 3);
        take(NOW, NOW + 2, 4);
        assertThat(due(NOW + 2)).isEmpty();
        List<JsonNode> told = due(NOW + 3);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).get("second").asLong()).isEqualTo(NOW);
        assertThat(told.get(0).at("/fleet/allowed").asLong()).isEqualTo(7);
        assertThat(due(NOW + 4)).isEmpty();
    }

    @Test
    void whatArrivesLaterIsToldInAddition() {
        take(NOW, NOW + 1, 3);
        assertThat(due(NOW + 3)).hasSize(1);
        take(NOW, NOW + 10, 5);
        assertThat(due(NOW + 10).get(0).at("/rules/login/requests").asLong()).isEqualTo(5);
        take(NOW, NOW + 61, 5);
        take(NOW + 90, NOW + 61, 5);
        assertThat(due(NOW + 200)).isEmpty();
    }

    @Test
    void nothingIsToldOfTheSecondInWhichSomebodyBeganToListen() {
        take(NOW - 1, NOW, 3);
        assertThat(due(NOW + 10)).isEmpty();
    }

    @Test
    void nothingIsCountedWhileNobodyListens() {
        take(NOW, NOW, 3);
        counts.take(new StoredBatch(1, "n", 1, 1, Kind.COUNTS, 0, new byte[0]), NOW * 1_000, OptionalLong.empty());
        assertThat(due(NOW + 10)).isEmpty();
    }

    @Test
    void theBusiestRulesAreTold() {
        Map<String, Figures> rules = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            rules.put("rule-" + i, new Figures(i, 1, 0, 0));
        }
        take(NOW, NOW, rules);
        JsonNode told = due(NOW + 5).get(0);
        assertThat(told.get("rules")).hasSize(CountsEvent.MOST_RULES);
        assertThat(told.get("rules").has("rule-199")).isTrue();
        assertThat(told.get("rules").has("rule-149")).isFalse();
        assertThat(told.at("/fleet/refused").asLong()).isEqualTo(200);
    }

    @Test
    void aFloodOfNamesIsBounded() {
        for (int batch = 0; batch < 30; batch++) {
            Map<String, Figures> rules = new HashMap<>();
            for (int i = 0; i < 5_000; i++) {
                rules.put(batch + "-" + i, new Figures(1, 0, 0, 0));
            }
            take(NOW, NOW, rules);
        }
        assertThat(due(NOW + 5).get(0).at("/fleet/allowed").asLong()).isEqualTo(150_000);
    }
}
