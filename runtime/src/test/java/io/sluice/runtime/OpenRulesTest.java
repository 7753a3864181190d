package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules from files and from other sources. {@link OpenRulesOfRedisTest} tests those from Redis. */
class OpenRulesTest {

    private static final String GOOD = "rules: [{ id: good, limits: [{ limit: 1, window: 1m }] }]";
    private static final String BETTER = "rules: [{ id: better, limits: [{ limit: 1, window: 1m }] }]";
    private static final String BAD = "rules: [{ id: bad, limits: [{ limit: -1, window: 1m }], x: 1 }]";
    private static final String HASHED =
            "rules: [{ id: hashed, limits: [{ by: user, limit: 1, window: 1m, privacy: hash }] }]";

    @TempDir
    private Path folder;

    private Path file;
    private Path data;
    private CapturedLog log;

    @BeforeEach
    void prepare() {
        file = folder.resolve("rules.yaml");
        data = folder.resolve("data");
        log = new CapturedLog(OpenRules.class);
    }

    @AfterEach
    void release() {
        log.close();
    }

    @Test
    void followsAFileAndKeepsTheLastGoodRules() throws Exception {
        write(GOOD);
        try (OpenRules rules = open(Optional.empty())) {
            assertThat(ids(rules)).containsExactly("good");
            assertThat(rules.findings()).isEmpty();
            assertThat(rules.isKept()).isFalse();
            assertThat(rules.standIn()).isEmpty();

            write(BAD);
            until("the refusal is reported", () -> rules.findings().size() == 1);
            assertThat(rules.findings().get(0))
                    .startsWith("rules were refused, the last good ones stay in force: " + file)
                    .endsWith(" (and 1 more)");
            assertThat(ids(rules)).containsExactly("good");

            write(BETTER);
            until("the repaired rules are in force", () -> ids(rules).equals(List.of("better")));
            until("the refusal is over", () -> rules.findings().isEmpty());
        }
    }

    @Test
    void aRepairThatRestoresTheRulesInForceEndsTheRefusal() throws Exception {
        write(GOOD);
        try (OpenRules rules = open(Optional.of(data))) {
            write(BAD);
            until("the refusal is reported", () -> rules.findings().size() == 1);
            write(GOOD + " ");
            until("the refusal is over", () -> rules.findings().isEmpty());
            assertThat(rules.source().latest().version()).isEqualTo(1);
        }
    }

    @Test
    void refusesABadFileAtTheStart() throws Exception {
        write(BAD);

        assertThatThrownBy(() -> open(Optional.empty()))
                .isInstanceOfSatisfying(RulesRefusedException.class, refused -> assertThat(refused.errors())
                        .hasSize(2));
        assertThatThrownBy(() -> open(Optional.of(data)))
                .isInstanceOfSatisfying(RulesRefusedException.class, refused -> assertThat(refused.errors())
                        .hasSize(2));
    }

    @Test
    void refusesAFileThatDoesNotExist() {
        assertThatThrownBy(() -> open(Optional.empty())).isInstanceOf(RulesRefusedException.class);
        assertThatThrownBy(() -> open(Optional.of(data))).isInstanceOf(RulesRefusedException.class);
    }

    @Test
    void startsWithTheRulesOfTheLastRunIfTheFileIsBad() throws Exception {
        keep(GOOD);
        write(BAD);
        try (OpenRules rules = open(Optional.of(data))) {
            assertThat(ids(rules)).containsExactly("good");
            assertThat(rules.isKept()).isTrue();
            assertThat(rules.findings()).singleElement().asString().startsWith("rules were refused");

            write(BETTER);
            until("the repaired rules are in force", () -> ids(rules).equals(List.of("better")));
            until("nothing is kept", () -> !rules.isKept() && rules.findings().isEmpty());
            assertThat(rules.source().latest().version()).isEqualTo(2);
        }
    }

    @Test
    void startsWithTheRulesOfTheLastRunIfTheFileIsGone() throws Exception {
        keep(GOOD);
        Files.delete(file);
        try (OpenRules rules = open(Optional.of(data)).orElse(one("stand-in"), "the default limit applies")) {
            assertThat(ids(rules)).containsExactly("good");
            assertThat(rules.isKept()).isTrue();
            assertThat(rules.standIn()).isEmpty();
        }
    }

    @Test
    void refusesABadFileIfTheRulesOfTheLastRunAreDamaged() throws Exception {
        keep(GOOD);
        Path kept = data.resolve("kept-rules.json");
        Files.writeString(kept, Files.readString(kept).replace("good", "evil"));
        write(BAD);

        assertThatThrownBy(() -> open(Optional.of(data)))
                .isInstanceOfSatisfying(RulesRefusedException.class, refused -> assertThat(refused.errors())
                        .hasSize(3)
                        .anyMatch(error -> error.toString().contains("kept-rules.json")));
    }

    @Test
    void reportsThatTheRulesCannotBeSaved() throws Exception {
        write(GOOD);
        Files.writeString(data, "a file in the place of the folder");
        try (OpenRules rules = open(Optional.of(data)).orElse(one("stand-in"), "the default limit applies")) {
            assertThat(ids(rules)).containsExactly("good");
            until("the problem is reported", () -> rules.findings().size() == 1);
            assertThat(rules.findings().get(0)).startsWith("the rules could not be saved for the next start: " + data);
        }
    }

    @Test
    void aChangeMustPassTheVet() throws Exception {
        write(GOOD);
        RuleVet vet = new HashKeyNeeded("--key");
        try (OpenRules rules = OpenRules.ofFile(file, Optional.of(data), vet, Clock.system())) {
            write(HASHED);
            until("the refusal is reported", () -> rules.findings().size() == 1);
            assertThat(rules.findings().get(0)).contains("hash key: none", "--key");
            assertThat(ids(rules)).containsExactly("good");
        }
    }

    @Test
    void otherRulesStandInUntilThereAreRules() throws Exception {
        OpenRules none = OpenRules.of(RuleSource.fixed(RuleSet.none()));
        try (OpenRules rules = none.orElse(one("stand-in"), "the default limit of 50/s per address applies")) {
            assertThat(ids(rules)).containsExactly("stand-in");
            assertThat(rules.source().latest().version()).isZero();
            assertThat(rules.standIn()).contains("the default limit of 50/s per address applies");
            assertThat(rules.findings())
                    .containsExactly("there are no rules: the default limit of 50/s per address applies");
            rules.warnIfNone("give a file");
            assertThat(log.lines())
                    .containsExactly("no rules: the default limit of 50/s per address applies; give a file");
        }
    }

    @Test
    void warnsOnlyIfThereAreNoRules() throws Exception {
        OpenRules.of(RuleSource.fixed(RuleSet.none())).warnIfNone("give a file").close();
        assertThat(log.lines()).containsExactly("no rules: every request is allowed; give a file");

        // A person who writes an empty list wants no rules.
        write("rules: []");
        open(Optional.empty()).warnIfNone("give a file").close();
        OpenRules.of(RuleSource.fixed(one("a"))).warnIfNone("give a file").close();
        assertThat(log.lines()).hasSize(1);
    }

    private OpenRules open(Optional<Path> kept) throws RulesRefusedException {
        return OpenRules.ofFile(file, kept, RuleVet.NONE, Clock.system());
    }

    /** Runs once with these rules, so that they are kept. */
    private void keep(String document) throws Exception {
        write(document);
        try (OpenRules rules = open(Optional.of(data))) {
            until("the rules are kept", () -> Files.exists(data.resolve("kept-rules.json")));
            assertThat(rules.isKept()).isFalse();
        }
    }

    private void write(String document) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), document);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static List<String> ids(OpenRules rules) {
        return rules.source().latest().rules().stream().map(rule -> rule.id()).toList();
    }

    private static RuleSet one(String id) {
        RuleDocument document = RuleDocument.parse("t", GOOD.replace("good", id));
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
