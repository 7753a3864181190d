package io.sluice.envoy.descriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.limit.FixedWindow;
import io.sluice.envoy.decide.Desk;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.FileDocuments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceDialectTest {

    private static final Path EXAMPLES = Path.of("..", "examples", "envoy");

    @TempDir
    Path folder;

    static Stream<Path> examples() throws Exception {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void descriptorsWrittenInOurFormReadAsTheSameRules(Path file) {
        List<Rule> rules = accepted(FileDocuments.read(file));

        assertThat(rules).isNotEmpty();
        assertThat(accepted(RuleDocument.parse("t", RuleJson.document(rules)))).isEqualTo(rules);
    }

    @Test
    void aDirectoryMayMixFilesOfBothKinds() throws Exception {
        Files.writeString(folder.resolve("a.yaml"), "rules: [{ id: a, limits: [{ rate: 1 }] }]");
        Files.writeString(folder.resolve("b.yaml"), "domain: d\ndescriptors: [{ key: k }]");
        Files.writeString(folder.resolve("c.json"), "{\"domain\": \"d\", \"descriptors\": [{\"key\": \"k2\"}]}");

        assertThat(accepted(FileDocuments.read(folder))).extracting(Rule::id).containsExactly("a", "d.k", "d.k2");
    }

    @Test
    void attributesNeverMatchARuleForDescriptors() {
        RuleSet set =
                Desk.rules("domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 0 } }]");

        assertThat(set.hasProtocolScopes()).isTrue();
        assertThat(set.matching(
                        io.sluice.rules.pattern.Attributes.of(java.util.Map.of("domain", "d", "descriptor.k", "x"))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "second, 1",
        "Minute, 60",
        "HOUR, 3600",
        "day, 86400",
        "week, 604800",
        "month, 2592000",
        "year, 31536000"
    })
    void aLimitIsAFixedWindowFromTheEpoch(String unit, long seconds) {
        Rule rule = Desk.rules("domain: d\ndescriptors: [{ key: k, rate_limit: { unit: " + unit
                        + ", requests_per_unit: 7 } }]")
                .rules()
                .get(0);
        FixedWindow window = (FixedWindow) rule.limits().get(0).limit();

        assertThat(window.capacity()).isEqualTo(7);
        assertThat(window.windowMicros()).isEqualTo(Duration.ofSeconds(seconds).toNanos() / 1_000);
        assertThat(window.calendar()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "descriptors: []|1:1: domain: missing (expected: a text)",
                "domain: \"\"|1:9: domain: empty (expected: a text)",
                "{ domain: d, descriptor: [] }|1:14: unknown key: descriptor (expected: a known key; did you mean descriptors?)",
                "{ domain: d, descriptors: 7 }|1:27: descriptors: 7 (expected: a list)",
                "{ domain: d, descriptors: [7] }|1:28: descriptor: 7 (expected: a mapping)",
                "{ domain: d, descriptors: [{ value: v }] }|1:28: key: missing (expected: a text)",
                "{ domain: d, descriptors: [{ key: k, rate_limits: {} }] }|1:38: unknown key: rate_limits (expected: a known key; did you mean rate_limit?)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { requests_per_unit: 1 } }] }|1:50: unit: missing (expected: second, minute, hour, day, week, month or year)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { unit: decade, requests_per_unit: 1 } }] }|1:58: unit: decade (expected: second, minute, hour, day, week, month or year)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 4294967296 } }] }|1:82: requests_per_unit: 4294967296 (expected: 0..4294967295)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { unit: day, unlimited: true } }] }|1:52: unit: together with unlimited (expected: only one of the two)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { unlimited: true, name: n, replaces: [{ name: n }] } }] }|1:89: replaces: n (expected: names of others)",
                "{ domain: d, descriptors: [{ key: k, rate_limit: { unlimited: true, replaces: [{ name: \"\" }] } }] }|1:88: name: empty (expected: a text)",
                "{ domain: d, descriptors: [{ key: k, value: v, share_threshold: true }] }|1:48: share_threshold: without a wildcard (expected: a value with *)",
                "{ domain: d, descriptors: [{ key: k, shadow_mode: 7 }] }|1:51: shadow_mode: 7 (expected: true or false)",
                "{ domain: d, descriptors: [{ key: k, metadata: 7 }] }|1:48: metadata: 7 (expected: a mapping)",
                "{ domain: d, descriptors: [{ key: k, metadata: { a: { b: 1, b: 2 } } }] }|1:61: duplicate key: b (expected: each key once)",
                "{ domain: d, descriptors: [{ key: k, metadata: { a: [{ [x]: 2 }] } }] }|1:56: metadata: a list (expected: a plain word)",
                "{ domain: d, descriptors: [{ key: k, value: v }, { key: k, value: v }] }|1:50: descriptor: k=v twice (expected: once, line 1 has it)"
            })
    void reportsWhatIsWrongAndWhere(String document, String error) {
        RuleDocument read = RuleDocument.parse("f", document);

        assertThat(read).isInstanceOf(Refused.class);
        assertThat(((Refused) read).errors()).extracting(Object::toString).containsExactly("f:" + error);
    }

    @Test
    void metadataMayBeAnythingButLarge() {
        String document = "{ domain: d, descriptors: [{ key: k, rate_limit: { unit: day }, metadata: { a: %s } }] }";

        assertThat(accepted(RuleDocument.parse("f", document.formatted("[{ b: ~ }, c, \"7\", 7, 7.5, true, {}, []]"))))
                .extracting(RuleJson::rule)
                .singleElement()
                .asString()
                .contains("\"metadata\":{\"a\":[{\"b\":null},\"c\",\"7\",7,7.5,true,{},[]]}");
        assertThat(accepted(RuleDocument.parse("f", document.formatted("x").replace("{ a: x }", "{}"))))
                .isEqualTo(
                        accepted(RuleDocument.parse("f", document.formatted("x").replace("{ a: x }", "~"))));
        RuleDocument large = RuleDocument.parse("f", document.formatted("x".repeat(DescriptorMetadata.LONGEST)));
        assertThat(((Refused) large).errors().toString())
                .contains("metadata: 16392 characters as JSON (expected: at most 16384)");
    }

    @Test
    void allErrorsAreFoundAtOnce() {
        RuleDocument read = RuleDocument.parse("f", """
                descriptors:
                  - key: a
                    rate_limit: { unit: never }
                    descriptors:
                      - { value: x, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: -1 } }] }
                """);

        assertThat(((Refused) read).errors()).hasSize(4);
    }

    @Test
    void theSameDescriptorInTwoFilesIsAnError() {
        RuleDocument read = RuleDocument.parseAll(List.of(
                new RuleDocument.Text("one", "{ domain: d, descriptors: [{ key: k }] }"),
                new RuleDocument.Text("two", "{ domain: d, descriptors: [{ key: k }] }")));

        assertThat(((Refused) read).errors())
                .extracting(Object::toString)
                .containsExactly(
                        "two:1:28: descriptor: k of this domain: defined twice (expected: once; one, line 1 has it)");
    }

    @ParameterizedTest
    @CsvSource({
        "edge, user, , edge.user",
        "edge, user, vip, edge.user_vip",
        "edge, a_b, , edge.a_b__",
        "edge, a, b_c, edge.a_b_c__",
        "edge, a_b, c, edge.a_b_c__",
        "edge, ip, 10.0.0.1, edge.ip_10-0-0-1__"
    })
    void differentPathsHaveDifferentIds(String domain, String key, String value, String id) {
        String own = value == null ? "" : ", value: " + value;
        Rule rule = Desk.rules("{ domain: " + domain + ", descriptors: [{ key: " + key + own + " }] }")
                .rules()
                .get(0);

        assertThat(rule.id()).startsWith(id).hasSize(id.endsWith("__") ? id.length() + 12 : id.length());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "domain: d\ndescriptors: &a [{ key: k, descriptors: *a }]",
                "domain: d\ndescriptors: !!java.util.ArrayList []",
                "domain: [d]\ndescriptors: {}",
                "domain: d\nrules: []\ndescriptors: []",
                "{ domain: d, domain: e, descriptors: [] }"
            })
    void hostileDocumentsAreRefused(String document) {
        assertThat(RuleDocument.parse("f", document)).isInstanceOf(Refused.class);
    }

    @Test
    void refusesADeepDocumentAndReadsALongOne() {
        String deep =
                "{ domain: d, descriptors: " + "[{ key: k, descriptors: ".repeat(200) + "[]" + "}]".repeat(200) + "}";
        StringBuilder many = new StringBuilder("domain: d\ndescriptors:\n");
        for (int i = 0; i < 20_000; i++) {
            many.append("  - { key: k, value: v")
                    .append(i)
                    .append(", rate_limit: { unit: second, requests_per_unit: 1 } }\n");
        }

        assertThat(RuleDocument.parse("f", deep)).isInstanceOf(Refused.class);
        assertThat(accepted(RuleDocument.parse("f", many.toString()))).hasSize(20_000);
    }

    @Test
    void aLargeChangeTakesEffectSoonAndBlocksNoCaller() {
        StringBuilder many = new StringBuilder("domain: d\ndescriptors:\n");
        for (int i = 0; i < 5_000; i++) {
            many.append("  - { key: k, value: v")
                    .append(i)
                    .append(", rate_limit: { unit: day, requests_per_unit: 9 } }\n");
        }
        Desk desk = Desk.with("domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }]");
        desk.ask("d", Desk.d("k=v7"));
        desk.set = Desk.rules(many.toString());

        await().atMost(Duration.ofMinutes(1)).until(() -> Desk.shown(desk.ask("d", Desk.hits(0, Desk.d("k=v4999"))))
                .equals("OK 9/DAY 9"));
    }

    private static List<Rule> accepted(RuleDocument document) {
        assertThat(document).isInstanceOf(Accepted.class);
        return ((Accepted) document).rules();
    }
}
