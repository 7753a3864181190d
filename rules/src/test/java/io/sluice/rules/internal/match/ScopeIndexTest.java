package io.sluice.rules.internal.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScopeIndexTest {

    @ParameterizedTest
    @CsvSource({
        // scopes, words, deepest path, requests, rounds
        "0, 3, 3, 10, 1",
        "7, 3, 3, 50, 100",
        "30, 2, 3, 50, 200",
        "300, 3, 4, 50, 30",
        "1000, 2, 12, 50, 5",
        "3000, 5, 4, 50, 4",
        "10000, 300, 4, 20, 1",
        "10000, 4, 6, 10, 1"
    })
    void findsWhatAScanFinds(int scopesInShortForm, int words, int deepest, int requests, int rounds) {
        int scopes = SeededRandom.scaled(scopesInShortForm);
        SeededRandom random = SeededRandom.of("findsWhatAScanFinds");
        for (int round = 0; round < rounds; round++) {
            RandomScopes source = new RandomScopes(random, words, deepest);
            List<Scope> all = source.scopes(scopes);
            ScopeIndex index = index(all);
            List<Integer> numbers = numbers(all);
            for (int i = 0; i < requests; i++) {
                Attributes request = source.request();
                assertThat(index.matching(request, numbers)).isEqualTo(scanned(all, request));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 3, 1", "7, 3, 100", "300, 3, 50", "5000, 5, 5", "10000, 1000, 1"})
    void findsTheFirstThatAScanFinds(int conditions, int words, int rounds) {
        SeededRandom random = SeededRandom.of("findsTheFirstThatAScanFinds");
        for (int round = 0; round < rounds; round++) {
            RandomScopes source = new RandomScopes(random, words, 3);
            List<Map<String, Condition>> all = new ArrayList<>();
            for (int i = 0; i < conditions; i++) {
                all.add(source.when());
            }
            int modulus = 1 + random.nextInt(5);
            FirstMatch<Integer> index = new FirstMatch<>(numbers(all), all::get);
            for (int i = 0; i < 50; i++) {
                Attributes request = source.request();
                Optional<Integer> expected = numbers(all).stream()
                        .filter(n -> n % modulus == 0)
                        .filter(n -> all.get(n).values().stream()
                                .allMatch(condition -> condition.matches(request.get(condition.attribute()))))
                        .findFirst();
                assertThat(index.first(request, n -> n % modulus == 0)).isEqualTo(expected);
            }
        }
    }

    static ScopeIndex index(List<Scope> all) {
        return new ScopeIndex(all);
    }

    private static List<Integer> scanned(List<Scope> all, Attributes request) {
        return numbers(all).stream().filter(n -> all.get(n).matches(request)).toList();
    }

    private static List<Integer> numbers(List<?> all) {
        return IntStream.range(0, all.size()).boxed().toList();
    }
}
