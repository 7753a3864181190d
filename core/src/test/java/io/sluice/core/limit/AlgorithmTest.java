package io.sluice.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.algorithm.Count;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class AlgorithmTest {

    /** Two legal values of each parameter, neither of them a default. */
    private static final Map<Parameter, List<Object>> VALUES = new EnumMap<>(Map.ofEntries(
            Map.entry(Parameter.RATE, List.of(Rate.perSecond(50), new Rate(3, Duration.ofSeconds(10)))),
            Map.entry(Parameter.BURST, List.of(100L, 70L)),
            Map.entry(Parameter.CAPACITY, List.of(20L, 30L)),
            Map.entry(Parameter.MAX_WAIT, List.of(Duration.ofMillis(250), Duration.ofSeconds(3))),
            Map.entry(Parameter.LIMIT, List.of(5L, 0L)),
            Map.entry(Parameter.WINDOW, List.of(Duration.ofMinutes(1), Duration.ofSeconds(7))),
            Map.entry(Parameter.ALIGN, List.of(Calendar.DAY, Calendar.MONTH)),
            Map.entry(Parameter.ZONE, List.of(ZoneId.of("Europe/Berlin"), ZoneId.of("Asia/Tokyo"))),
            Map.entry(Parameter.SLICES, List.of(6L, 60L)),
            Map.entry(Parameter.WEIGHTED, List.of(true, false)),
            Map.entry(Parameter.TTL, List.of(Duration.ofSeconds(30), Duration.ofMinutes(2)))));

    /** Limits of all algorithms and all kinds of windows, with every parameter given and with the required ones only. */
    static List<Limit> limits() {
        List<Limit> limits = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.values()) {
            Set<Parameter> required = EnumSet.copyOf(algorithm.required());
            Set<Parameter> all = EnumSet.copyOf(algorithm.parameters());
            if (all.contains(Parameter.ALIGN)) {
                all.remove(Parameter.WINDOW);
                required.add(Parameter.WINDOW);
                Set<Parameter> aligned = EnumSet.copyOf(algorithm.required());
                aligned.add(Parameter.ALIGN);
                limits.add(algorithm.limit("x", of(aligned)));
            }
            limits.add(algorithm.limit("x", of(required)));
            limits.add(algorithm.limit("x", of(all)));
        }
        return limits;
    }

    private static Map<Parameter, Object> of(Set<Parameter> parameters) {
        Map<Parameter, Object> values = new HashMap<>();
        parameters.forEach(each -> values.put(each, VALUES.get(each).get(0)));
        return values;
    }

    @ParameterizedTest
    @MethodSource("limits")
    void buildsTheSameLimitFromItsParameters(Limit limit) {
        assertThat(limit.kind().limit(limit.name(), limit.parameters())).isEqualTo(limit);
        assertThat(limit.kind().limit(limit.name(), limit.givenParameters())).isEqualTo(limit);
        assertThat(limit.kind().parameters())
                .containsSubsequence(limit.parameters().keySet());
        assertThat(limit.withName("other").withName("x")).isEqualTo(limit).isNotSameAs(limit);
        assertThat(limit.withName("other").name()).isEqualTo("other");
    }

    @ParameterizedTest
    @MethodSource("limits")
    void replacesEachParameterAndKeepsAllOthers(Limit limit) {
        limit.parameters().forEach((parameter, before) -> {
            Object other = VALUES.get(parameter).stream()
                    .filter(each -> !each.equals(before))
                    .findFirst()
                    .orElseThrow();
            Map<Parameter, Object> expected = limit.parameters();
            expected.put(parameter, other);
            Limit changed = limit.with(parameter, other);
            assertThat(changed.parameters()).isEqualTo(expected);
            assertThat(changed.with(parameter, before)).isEqualTo(limit);
            assertThat(changed.shape().equals(limit.shape())).isNotEqualTo(parameter.isShape());
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    void givesOnlyWhatIsNotADefault(Limit limit) {
        limit.givenParameters().forEach((parameter, value) -> {
            Map<Parameter, Object> less = limit.givenParameters();
            less.remove(parameter);
            if (parameter.hasDefault()) {
                assertThat(limit.kind().limit(limit.name(), less)).isNotEqualTo(limit);
            } else {
                assertThatThrownBy(() -> limit.kind().limit(limit.name(), less))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("missing (expected: ");
            }
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acceptsItsLargestNumberAndNoMore(Limit limit) {
        Algorithm kind = limit.kind();
        assertThat(limit.with(kind.number(), kind.largest()).parameters()).containsEntry(kind.number(), kind.largest());
        assertThatThrownBy(() -> limit.with(kind.number(), kind.largest() + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsWord(Algorithm algorithm) {
        assertThat(Algorithm.of(algorithm.word())).isEqualTo(algorithm);
        assertThat(algorithm.name()).isEqualToIgnoringCase(algorithm.word());
        for (Limit limit : limits()) {
            if (limit.kind() == algorithm) {
                assertThat(limit.algorithm()).isEqualTo(algorithm.word());
                assertThat(limit.shape()).startsWith(algorithm.code());
                assertThat(limit.rate() != null).isEqualTo(algorithm.has(Parameter.RATE));
                assertThat(Count.of(limit).isUnused(0)).isTrue();
            }
        }
    }

    @Test
    void refusesParametersOfOtherAlgorithmsAndOtherTypes() {
        Limit log = Limit.named("x").slidingLog(5, Duration.ofMinutes(1));
        assertThatThrownBy(() -> log.with(Parameter.SLICES, 5L))
                .hasMessage("slices: not a parameter of x (sliding_log 5 per 1m) (expected: one that it has)");
        assertThatThrownBy(() -> log.with(Parameter.LIMIT, "5")).hasMessage("limit: 5 (expected: a Long)");
        assertThatThrownBy(() -> log.kind().limit("x", Map.of(Parameter.TTL, Duration.ZERO)))
                .hasMessage("ttl: not a parameter of sliding_log (expected: limit, window)");
        assertThatThrownBy(() -> log.kind().limit("no name", log.parameters())).hasMessageStartingWith("name: ");
        assertThatThrownBy(() -> Algorithm.of("log")).hasMessage("algorithm: \"log\" (expected: a known algorithm)");
        assertThatThrownBy(() -> Limit.named("x")
                        .fixedWindow(1, Calendar.DAY, ZoneId.of("UTC"))
                        .with(Parameter.WINDOW, Duration.ofDays(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
