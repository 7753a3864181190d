package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.testkit.Await;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A source that a stranger adds gets everything that the sources of Sluice have. */
class ForeignSourceTest {

    private static final String GOOD = "rules: [{ id: good, limits: [{ limit: 1, window: 1m }] }]";
    private static final String BAD = "rules: [{ id: bad, limits: [{ limit: -1, window: 1m }] }]";

    @TempDir
    private Path folder;

    @Test
    void isFollowedRefusedAndReportedLikeAnyOther() throws Exception {
        ForeignDocuments.TEXTS.put("a", GOOD);
        try (OpenRules rules = open("a", Optional.empty())) {
            assertThat(ids(rules)).containsExactly("good");
            assertThat(rules.findings()).isEmpty();
            assertThat(rules.follows()).isFalse();

            ForeignDocuments.TEXTS.put("a", GOOD.replace("good", "better"));
            until("the change is in force", () -> ids(rules).equals(List.of("better")));
            assertThat(rules.source().latest().version()).isEqualTo(2);

            ForeignDocuments.TEXTS.put("a", BAD);
            until("the refusal is reported", () -> rules.findings().size() == 1);
            assertThat(rules.findings().get(0)).startsWith("rules from the foreign place were refused: a:1:");
            assertThat(ids(rules)).containsExactly("better");

            ForeignDocuments.TEXTS.put("a", "");
            until("the loss is reported", () -> rules.findings().size() == 2);
            assertThat(rules.findings().get(0)).isEqualTo("rules cannot be read from the foreign place: it is closed");

            ForeignDocuments.TEXTS.put("a", GOOD);
            until("all is well again", () -> rules.findings().isEmpty());
            assertThat(ids(rules)).containsExactly("good");

            ForeignDocuments.TEXTS.remove("a");
            until("the loss is reported", () -> rules.findings().size() == 1);
            assertThat(ids(rules)).containsExactly("good");
        }
    }

    @Test
    void startsWithTheRulesOfTheLastRun() throws Exception {
        Path data = folder.resolve("data");
        ForeignDocuments.TEXTS.put("b", GOOD);
        try (OpenRules rules = open("b", Optional.of(data))) {
            until("the rules are kept", () -> Files.exists(data.resolve("kept-rules.json")));
            assertThat(rules.isKept()).isFalse();
        }
        ForeignDocuments.TEXTS.put("b", "");
        try (OpenRules rules = open("b", Optional.of(data))) {
            assertThat(rules.isKept()).isTrue();
            assertThat(ids(rules)).containsExactly("good");
        }
    }

    @Test
    void badRulesAreNotStartedWith() {
        ForeignDocuments.TEXTS.put("c", BAD);
        assertThatThrownBy(() -> open("c", Optional.empty())).isInstanceOf(RulesRefusedException.class);
    }

    @Test
    void anAddressThatNothingOpensIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        OpenRules.at(URI.create("nowhere:a"), "n", Optional.empty(), RuleVet.NONE, Clock.system()))
                .withMessageStartingWith(
                        "rules: nowhere:… (expected: an address that a source on the class path opens");
    }

    private static OpenRules open(String name, Optional<Path> data) throws RulesRefusedException {
        return OpenRules.at(URI.create("foreign:" + name), "n", data, RuleVet.NONE, Clock.system());
    }

    private static List<String> ids(OpenRules rules) {
        return rules.source().latest().rules().stream().map(Rule::id).toList();
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
