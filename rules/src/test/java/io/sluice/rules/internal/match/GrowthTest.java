package io.sluice.rules.internal.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of a match, in steps rather than time, among very many scopes of every kind that could mislead the index. */
class GrowthTest {

    private static final int MANY = SeededRandom.scaled(10_000, 30_000);

    @Test
    void oneServiceAndDistinctPaths() {
        List<Scope> all = many(i -> scope("s", "/api/r" + i));

        cheap(all, Map.of("service", "s", "path", "/api/r77"), 20);
    }

    @Test
    void onePathAndDistinctServices() {
        List<Scope> all = many(i -> scope("s" + i, "/api/**"));

        cheap(all, Map.of("service", "s77", "path", "/api/r77"), 20);
    }

    @Test
    void oneServiceAndPathAndDistinctTenants() {
        List<Scope> all = many(i -> scope("s", "/api/**", "tenant", "t" + i));

        cheap(all, Map.of("service", "s", "path", "/api/r77", "tenant", "t77"), 20);
    }

    @Test
    void severalAttributesThatAreCommonAloneAndRareTogether() {
        List<Scope> twoOf100 = many(i -> scope("s" + i % 100, "/api/r" + i / 100 + "/{id}"));
        List<Scope> threeOf22 = many(i -> scope("s" + i % 22, "/r" + i / 22 % 22 + "/**", "tenant", "t" + i / 22 / 22));
        List<Scope> fiveOf6 = many(i -> scope(
                "s" + i % 6,
                "/r" + i / 6 % 6 + "/**",
                "tenant",
                "t" + i / 36 % 6,
                "plan",
                "p" + i / 216 % 6,
                "user",
                "u" + i / 1_296));

        cheap(twoOf100, Map.of("service", "s77", "path", "/api/r78/3"), 20);
        cheap(threeOf22, Map.of("service", "s13", "path", "/r14/3", "tenant", "t7"), 20);
        cheap(fiveOf6, Map.of("service", "s3", "path", "/r4/3", "tenant", "t5", "plan", "p1", "user", "u2"), 20);
    }

    @Test
    void listsOfAThousandValues() {
        List<Scope> all = new ArrayList<>();
        for (int i = SeededRandom.scaled(100, 300) - 1; i >= 0; i--) {
            int from = i * 1_000;
            all.add(scope("s", "/**", "tenant", values(from, from + 1_000)));
        }

        cheap(all, Map.of("service", "s", "path", "/a", "tenant", "t77777"), 20);
    }

    @Test
    void listsThatWouldMultiply() {
        List<Scope> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(scope(null, null, "tenant", values(i, i + 600), "user", values(i * 3, i * 3 + 600)));
        }

        // Nothing distinguishes them better than one of the lists.
        cheap(all, Map.of("tenant", "t300", "user", "t900"), 700);
    }

    @Test
    void blocksOfAddresses() {
        List<Scope> distinct = many(i -> scope(null, null, "ip", address(i << 8) + "/24"));
        List<Scope> nested = many(i -> scope("s" + i, null, "ip", i % 2 == 0 ? "10.0.0.0/8" : "10.0.0.0/9"));

        cheap(distinct, Map.of("ip", "10.0.77.1"), 20);
        cheap(nested, Map.of("service", "s77", "ip", "10.0.77.1"), 20);
    }

    @Test
    void aListOfVeryManyBlocks() {
        List<String> blocks =
                IntStream.range(0, MANY).mapToObj(GrowthTest::address).toList();
        List<Scope> all = List.of(scope(null, null, "ip", blocks), Scope.EVERYTHING);

        cheap(all, Map.of("ip", "10.0.7.0"), 20);
        assertThat(all.get(0).matches(Attributes.of(Map.of("ip", "10.0.7.0")))).isTrue();
        assertThat(all.get(0).matches(Attributes.of(Map.of("ip", "11.0.7.1")))).isFalse();
    }

    @Test
    void globs() {
        List<Scope> ends = many(i -> scope(null, null, "tenant", "t-*-x" + i));
        List<Scope> starts = many(i -> scope(null, null, "tenant", "t-" + i + "-*-x"));
        List<Scope> both = many(i -> scope(null, null, "tenant", "t-" + i / 100 + "-*-x" + i % 100));
        List<Scope> same = many(i -> scope("s" + i, null, "tenant", "t-*-x"));

        cheap(ends, Map.of("tenant", "t-5-x77"), 20);
        cheap(starts, Map.of("tenant", "t-77-5-x"), 20);
        cheap(both, Map.of("tenant", "t-77-5-x78"), 20);
        cheap(same, Map.of("service", "s77", "tenant", "t-77-x"), 20);
    }

    @Test
    void globsWithWhatMattersInTheMiddle() {
        List<Scope> all = many(i -> scope(null, null, "tenant", "*-" + i + "-*"));

        cheap(all, Map.of("tenant", "t-77-x"), 40);
    }

    @Test
    void pathsWithNamesEverywhere() {
        List<Scope> all = many(i -> scope(null, "/{a}/x" + i + "/{b}/**"));

        cheap(all, Map.of("path", "/1/x77/3/4"), 20);
    }

    @Test
    void pathsThatBranchEverywhereAndDoNotMatch() {
        // Each of 12 segments is named or not, and the last one is unique.
        List<Scope> all = IntStream.range(0, 1 << 12)
                .mapToObj(i -> scope(null, branching(i) + "/x" + i))
                .toList();

        cheap(all, Map.of("path", "/a".repeat(12) + "/y"), 30);
        cheap(all, Map.of("path", "/a".repeat(12) + "/x0"), 30);
    }

    @Test
    void pathsThatBranchEverywhereForDistinctServices() {
        List<Scope> all = IntStream.range(0, 1 << 12)
                .mapToObj(i -> scope("s" + i, branching(i)))
                .toList();

        cheap(all, Map.of("path", "/a".repeat(12), "service", "s77"), 20);
    }

    @Test
    void nestedPaths() {
        List<Scope> all = many(i -> scope("s" + i / 20, "/a".repeat(i % 20) + "/**"));

        // 3 match.
        cheap(all, Map.of("path", "/a/a", "service", "s77"), 30);
    }

    @Test
    void distinctAttributes() {
        List<Scope> all = many(i -> scope(null, null, "header.x" + i, "1"));

        cheap(all, Map.of("header.x77", "1", "path", "/", "service", "s"), 20);
    }

    @Test
    void longValuesCostNoMoreSteps() {
        List<Scope> all = many(i -> switch (i % 5) {
            case 0 -> scope("s", "/a".repeat(i % 40) + "/b" + i + "/{x}/**");
            case 1 -> scope(null, "/{a}/{b}/{c}/x" + i);
            case 2 -> scope(null, null, "tenant", "*aaaaaaaa" + i + "*");
            case 3 -> scope(null, null, "tenant", "a".repeat(i % 100) + i + "*aaaa?aaaaaaaaab");
            default -> scope(null, null, "tenant", "*a*a*a*a*b" + i + "*c");
        });

        cheap(all, Map.of("service", "s", "path", "/a".repeat(25_000), "tenant", "a".repeat(50_000)), 1_000);
        cheap(all, Map.of("ip", "1".repeat(50_000), "path", "/" + "a".repeat(50_000)), 200);
    }

    @Test
    @Timeout(300)
    void textsThatWouldCollideInOrdinaryTables() {
        List<Scope> all = new ArrayList<>();
        for (int i = 0; i < 1 << 15; i++) {
            String collides = colliding(i);
            all.add(
                    switch (i % 3) {
                        case 0 -> scope("s", "/a/" + collides);
                        case 1 -> scope(null, null, "tenant", collides + "*");
                        default -> scope("s", null, "user", collides);
                    });
        }
        Map<String, String> request =
                Map.of("service", "s", "path", "/a/" + colliding(3), "tenant", colliding(4), "user", colliding(5));

        assertThat(ScopeIndexTest.index(all).matching(Attributes.of(request), numbers(all)))
                .containsExactly(3, 4, 5);
        cheap(all, request, 20);
    }

    @Test
    @Timeout(300)
    void scopesOfThousandsOfConstraints() {
        List<Scope> all = new ArrayList<>();
        Map<String, String> request = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            Map<String, Condition> conditions = new LinkedHashMap<>();
            for (int c = 0; c < 5_000; c++) {
                conditions.put("a" + c, Condition.parse("a" + c, List.of(c == 4_000 && i == 7 ? "y" : "x", "z")));
                request.put("a" + c, "x");
            }
            all.add(new Scope(null, null, Set.of(), conditions));
        }

        assertThat(ScopeIndexTest.index(all).matching(Attributes.of(request), numbers(all)))
                .hasSize(19)
                .doesNotContain(7);
    }

    @Test
    void manyThatMatchCostNoMoreThanTheyAre() {
        List<Scope> all = many(i -> scope("s" + i / 1_000, null));

        assertThat(ScopeIndexTest.index(all).matching(Attributes.of(Map.of("service", "s7")), all))
                .hasSize(1_000);
        cheap(all, Map.of("service", "s7"), 1_020);
    }

    @Test
    void theFirstOfManyThatMatchIsFoundAtOnce() {
        List<Scope> all = many(i -> scope(null, null, "plan", "vip"));
        int[] tested = new int[1];

        assertThat(ScopeIndexTest.index(all).first(Attributes.of(Map.of("plan", "vip")), n -> ++tested[0] > 3))
                .hasValue(3);
        assertThat(tested[0]).isEqualTo(4);
    }

    private static void cheap(List<Scope> all, Map<String, String> request, int most) {
        assertThat(ScopeIndexTest.index(all).steps(Attributes.of(request))).isLessThanOrEqualTo(most);
    }

    private static List<Integer> numbers(List<?> all) {
        return IntStream.range(0, all.size()).boxed().toList();
    }

    /** Returns texts with the same {@link String#hashCode}. */
    private static String colliding(int bits) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 15; i++) {
            text.append((bits >> i & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    private static List<Scope> many(IntFunction<Scope> scope) {
        return IntStream.range(0, MANY).mapToObj(scope).toList();
    }

    private static Scope scope(@Nullable String service, @Nullable String resource, Object... match) {
        Map<String, Condition> conditions = new LinkedHashMap<>();
        for (int i = 0; i < match.length; i += 2) {
            String attribute = (String) match[i];
            @SuppressWarnings("unchecked")
            List<String> values = match[i + 1] instanceof String one ? List.of(one) : (List<String>) match[i + 1];
            conditions.put(attribute, Condition.parse(attribute, values));
        }
        return new Scope(service, resource == null ? null : PathPattern.of(resource), Set.of(), conditions);
    }

    private static List<String> values(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "t" + i).toList();
    }

    private static String address(int i) {
        return (10 + (i >> 24)) + "." + (i >> 16 & 255) + "." + (i >> 8 & 255) + "." + (i & 255);
    }

    private static String branching(int bits) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            path.append((bits >> i & 1) == 0 ? "/a" : "/{a}");
        }
        return path.toString();
    }
}
