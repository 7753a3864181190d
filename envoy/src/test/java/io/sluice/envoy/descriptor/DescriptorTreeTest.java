package io.sluice.envoy.descriptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.sluice.envoy.decide.Desk;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescriptorTreeTest {

    @Test
    void findsWhatAScanOfAllRulesFinds() {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("findsWhatAScanOfAllRulesFinds: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            RuleSet set = Desk.rules(document(random, "one"), document(random, "two"));
            DescriptorTree tree = new DescriptorTree(set);
            for (int n = 0; n < 100; n++) {
                String domain = random.nextBoolean() ? "one" : "two";
                RateLimitDescriptor descriptor = descriptor(random);
                assertThat(Optional.ofNullable(tree.find(domain, descriptor)).map(Rule::id))
                        .as(domain + " " + descriptor)
                        .isEqualTo(scan(set, domain, descriptor, 0, List.of()).map(Rule::id));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "*, '', true",
        "*, abc, true",
        "a*, a, true",
        "a*, ba, false",
        "*a, bca, true",
        "a*a, a, false",
        "a*a, aa, true",
        "a*b*c, abc, true",
        "a*b*c, aXbYbZc, true",
        "a*b*c, acb, false",
        "**, '', true",
        "a**b, ab, true",
        "*b*, abc, true",
        "*b*, ac, false",
        "ab*ab, abab, true",
        "ab*ba, aba, false"
    })
    void aStarMatchesAnyTextEvenNone(String pattern, String value, boolean matches) {
        assertThat(new Wildcard(pattern).matches(value)).isEqualTo(matches);
    }

    /** Scans the rules as they are written: at each depth the best of those whose path starts with the choices made so far. */
    private static Optional<Rule> scan(
            RuleSet set, String domain, RateLimitDescriptor asked, int depth, List<EnvoyDescriptor.Entry> chosen) {
        if (depth == asked.getEntriesCount()) {
            return set.rules().stream()
                    .filter(rule ->
                            EnvoyDescriptor.of(rule).orElseThrow().domain().equals(domain)
                                    && sameKeys(EnvoyDescriptor.of(rule).get().path(), chosen)
                                    && EnvoyDescriptor.of(rule).get().path().size() == depth)
                    .findFirst();
        }
        RateLimitDescriptor.Entry entry = asked.getEntries(depth);
        EnvoyDescriptor.Entry best = null;
        int rank = 3;
        for (Rule rule : set.rules()) {
            List<EnvoyDescriptor.Entry> path =
                    EnvoyDescriptor.of(rule).orElseThrow().path();
            if (EnvoyDescriptor.of(rule).get().domain().equals(domain)
                    && path.size() > depth
                    && sameKeys(path.subList(0, depth), chosen)
                    && path.get(depth).key().equals(entry.getKey())) {
                int its = rank(path.get(depth), entry.getValue());
                if (its < rank) {
                    rank = its;
                    best = path.get(depth);
                }
            }
        }
        if (best == null) {
            return Optional.empty();
        }
        List<EnvoyDescriptor.Entry> longer = new ArrayList<>(chosen);
        longer.add(best);
        return scan(set, domain, asked, depth + 1, longer);
    }

    private static boolean sameKeys(List<EnvoyDescriptor.Entry> path, List<EnvoyDescriptor.Entry> chosen) {
        if (path.size() != chosen.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!path.get(i).key().equals(chosen.get(i).key())
                    || !Objects.equals(path.get(i).value(), chosen.get(i).value())) {
                return false;
            }
        }
        return true;
    }

    private static int rank(EnvoyDescriptor.Entry entry, String value) {
        if (entry.value().isEmpty()) {
            return 2;
        }
        String own = entry.value().get();
        if (own.equals(value)) {
            return 0;
        }
        String regex = Pattern.quote(own).replace("*", "\\E.*\\Q");
        return own.contains("*")
                        && Pattern.compile(regex, Pattern.DOTALL).matcher(value).matches()
                ? 1
                : 3;
    }

    private static String document(Random random, String domain) {
        return "domain: " + domain + "\ndescriptors:" + descriptors(random, 1);
    }

    private static String descriptors(Random random, int depth) {
        StringBuilder text = new StringBuilder();
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            String key = "k" + random.nextInt(2);
            String value = random.nextInt(3) == 0 ? "" : text(random, "ab*", 3);
            if (seen.contains(key + "=" + value)) {
                continue;
            }
            seen.add(key + "=" + value);
            String indent = "\n" + "  ".repeat(depth);
            text.append(indent).append("- key: ").append(key);
            text.append(value.isEmpty() ? "" : indent + "  value: \"" + value + "\"");
            if (random.nextBoolean()) {
                text.append(indent).append("  rate_limit: { unit: second, requests_per_unit: 1 }");
            }
            if (depth < 4 && random.nextInt(2) == 0) {
                text.append(indent).append("  descriptors:").append(descriptors(random, depth + 1));
            }
        }
        return text.toString();
    }

    private static RateLimitDescriptor descriptor(Random random) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            descriptor.addEntries(RateLimitDescriptor.Entry.newBuilder()
                    .setKey("k" + random.nextInt(2))
                    .setValue(text(random, "ab*", 4)));
        }
        return descriptor.build();
    }

    private static String text(Random random, String letters, int longest) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(longest + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }
}
