package io.sluice.envoy.descriptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.envoy.descriptor.EnvoyDescriptor.Entry;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnvoyDescriptorTest {

    private static final String ANYTHING = "ab*:\"'{}[],# \\\n\u00e4\u4f60";

    @Test
    void readsBackTheDescriptorsThatItWrites() {
        SeededRandom random = SeededRandom.of("readsBackTheDescriptorsThatItWrites");
        for (int i = 0; i < 2_000; i++) {
            Rule rule = rule(random, "r" + i);

            RuleDocument read = RuleDocument.parse("rules.json", RuleJson.document(List.of(rule)));

            assertThat(read).isEqualTo(new RuleDocument.Accepted(List.of(rule)));
        }
    }

    @Test
    void summarizesAChangeOfDescriptors() {
        List<RuleChange> changes = RuleChange.between(
                set("envoy: { domain: d, path: [{ key: a }] }"),
                set("envoy: { domain: d, path: [{ key: a, value: b }], quota: true }"));

        assertThat(changes).hasToString("[r: envoy d: a \u2192 d: a=b, quota]");
    }

    @Test
    void reportsInvalidKeys() {
        assertThat(RuleDocument.parse(
                                "rules.yaml",
                                "rules: [{ id: r, envoy: { domian: d, path: [{ kee: k }] }, limits: [{ rate: 1 }] }]")
                        .toString())
                .contains("domain: missing (expected: a text)")
                .contains("unknown key: domian (expected: a known key; did you mean domain?)")
                .contains("key: missing (expected: a text)")
                .contains("unknown key: kee (expected: a known key; did you mean key?)");
    }

    private static RuleSet set(String scope) {
        String text = "rules: [{ id: r, " + scope + ", limits: [{ rate: 1 }] }]";
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", text)).rules());
    }

    private static Rule rule(SeededRandom random, String id) {
        boolean exempt = random.nextInt(4) == 0;
        LimitName name = LimitName.live(id, Optional.empty(), 0);
        Limit limit = Limit.named(name.counted()).tokenBucket(Rate.perSecond(5));
        return new Rule(
                id,
                true,
                exempt ? Action.EXEMPT : Action.LIMIT,
                Scope.EVERYTHING,
                false,
                exempt
                        ? List.of()
                        : List.of(new RuleLimit(name.reported(), limit, List.of(), AbsentPolicy.IP, Privacy.PLAIN)),
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleDescription.NOTHING,
                Optional.of(descriptor(random, exempt)));
    }

    private static EnvoyDescriptor descriptor(SeededRandom random, boolean exempt) {
        List<Entry> path = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            Optional<String> value = random.nextBoolean() ? Optional.of(word(random)) : Optional.empty();
            boolean wild = value.filter(text -> text.indexOf('*') >= 0).isPresent();
            path.add(new Entry(word(random), value, wild && random.nextBoolean()));
        }
        return new EnvoyDescriptor(
                word(random),
                path,
                exempt && random.nextBoolean(),
                random.nextBoolean() ? Optional.of("name") : Optional.empty(),
                random.nextBoolean() ? List.of("other", "another") : List.of(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean()
                        ? Map.of()
                        : Map.of(word(random), Map.of("n", 7L, "list", List.of("7", true, 0.5))));
    }

    private static String word(SeededRandom random) {
        return "k" + random.text(ANYTHING, 6);
    }
}
