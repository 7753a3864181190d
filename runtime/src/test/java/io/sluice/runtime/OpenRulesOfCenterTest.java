package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.source.KeptRuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.OutageLog;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.CenterStub;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenRulesOfCenterTest {

    @TempDir
    private Path folder;

    private CenterStub stub = CenterStub.start();
    private CapturedLog log;
    private CapturedLog outages;

    @BeforeEach
    void capture() {
        log = new CapturedLog(OpenRules.class);
        outages = new CapturedLog(OutageLog.class);
    }

    @AfterEach
    void close() {
        log.close();
        outages.close();
        stub.close();
    }

    @Test
    void hasTheRulesWhenItIsOpen() throws Exception {
        stub.greet(event(12));
        try (OpenRules rules = open(center())) {
            assertThat(rules.source().latest().version()).isEqualTo(12);
            assertThat(rules.isKept()).isFalse();
            assertThat(rules.findings()).isEmpty();
            rules.warnIfNone("give a file");
            assertThat(log.lines()).isEmpty();
        }
    }

    /** F22. */
    @Test
    void startsFromTheKeptSetWhileTheCenterIsAway() throws Exception {
        keep(12);
        stub.close();
        try (OpenRules rules = open(center())) {
            assertThat(rules.source().latest().version()).isEqualTo(12);
            assertThat(rules.isKept()).isTrue();
            assertThat(rules.findings()).anyMatch(finding -> finding.startsWith("the center is lost: "));
            stub = CenterStub.start(stub.port()).greet(event(13));
            until("the next version", () -> rules.source().latest().version() == 13);
            until("no finding", () -> rules.findings().isEmpty());
            assertThat(rules.isKept()).isFalse();
        }
        assertThat(outages.lines()).hasSize(2);
        assertThat(outages.lines().get(0)).startsWith("the center at " + stub.url() + " is lost; ");
        assertThat(outages.lines().get(1)).isEqualTo("the center at " + stub.url() + " is back");
    }

    @Test
    void startsFromTheKeptSetWhileTheCenterHangs() throws Exception {
        keep(12);
        try (ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                OpenRules rules = open(center("http://127.0.0.1:" + hanging.getLocalPort()))) {
            assertThat(rules.source().latest().version()).isEqualTo(12);
            assertThat(rules.isKept()).isTrue();
        }
    }

    @Test
    void startsFromTheKeptSetWhileTheCenterSendsNoEvent() throws Exception {
        keep(12);
        try (OpenRules rules = open(center())) {
            assertThat(rules.isKept()).isTrue();
            stub.listener().send(event(12));
            until("the center confirms the rules", () -> !rules.isKept());
        }
    }

    @Test
    void neverGoesBehindTheKeptSet() throws Exception {
        keep(12);
        stub.greet(event(11));
        try (OpenRules rules = open(center())) {
            assertThat(rules.source().latest().version()).isEqualTo(12);
            assertThat(rules.findings().toString()).contains("version: 11 (expected: 12 or higher; ");
            assertThat(rules.refusedSet().orElseThrow().stamp().orElseThrow().version())
                    .isEqualTo(11);
        }
    }

    @Test
    void failsIfTheFirstRulesAreRefusedAndNoneAreKept() throws Exception {
        stub.greet(event(1).replace("rate", "rata"));
        Center center = center();
        assertThatExceptionOfType(RulesRefusedException.class)
                .isThrownBy(() -> open(center))
                .withMessageContaining("/api/versions/1: digest: ");
    }

    @Test
    void saysThatThereAreNoRulesYet() throws Exception {
        stub.greet("event: none\ndata: {}\n\n");
        try (OpenRules rules = open(center())) {
            assertThat(rules.findings()).containsExactly("there are no rules: every request is allowed");
            rules.warnIfNone("give a file");
            assertThat(log.lines())
                    .containsExactly("the center has released no rules; every request is allowed. Release rules, or"
                            + " give a file");
        }
    }

    @Test
    void saysThatThereAreNoRulesBecauseTheCenterIsAway() throws Exception {
        stub.close();
        try (OpenRules rules = open(center())) {
            rules.warnIfNone("give a file");
            assertThat(log.lines())
                    .containsExactly("no rules yet, because the center is lost; every request is allowed until they"
                            + " are read");
            assertThat(rules.findings()).hasSize(2);
        }
    }

    @Test
    void reportsRulesThatCannotBeApplied() throws Exception {
        stub.greet(event(1));
        RuleVet vet = set -> set.version() > 1 ? List.of(DocumentError.of("x", "no key")) : List.of();
        try (OpenRules rules = OpenRules.ofCenter(center(), "n", Optional.empty(), vet, Clock.system())) {
            stub.listener().send(event(2));
            until("the refusal", () -> rules.findings().equals(List.of("rules of the center were refused: x: no key")));
            assertThat(rules.source().latest().version()).isEqualTo(1);
        }
    }

    private void keep(int version) throws Exception {
        try (CenterStub first = CenterStub.start().greet(event(version));
                OpenRules rules = open(center(first.url()))) {
            until("version " + version + " is kept", () -> KeptRuleSource.last(folder.resolve("data"))
                    .filter(stamp -> stamp.version() == version && stamp.released())
                    .isPresent());
        }
    }

    private Center center() throws Exception {
        return center(stub.url());
    }

    private Center center(String url) throws Exception {
        return Center.at(CenterAddress.of(url, Files.writeString(folder.resolve("token"), "secret")));
    }

    private OpenRules open(Center center) throws RulesRefusedException {
        return OpenRules.ofCenter(center, "n", Optional.of(folder.resolve("data")), RuleVet.NONE, Clock.system());
    }

    private static String event(int version) {
        RuleDocument.Accepted document = (RuleDocument.Accepted)
                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + version + " }] }]");
        RuleSet set = new RuleSet(version, document.rules());
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set, text::append);
        return CenterStub.rules(version, set.digest(), text.toString());
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
