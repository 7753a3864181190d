package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.http.CenterStub.Listener;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CenterDocumentsTest {

    @TempDir
    private Path folder;

    private final CenterStub stub = CenterStub.start().expect("secret-token");
    private Path token;
    private Center center;

    @BeforeEach
    void connect() throws Exception {
        token = Files.writeString(folder.resolve("token"), "secret-token\n");
        center = Center.at(CenterAddress.of(stub.url(), token));
    }

    @AfterEach
    void close() {
        stub.close();
    }

    @Test
    void takesTheRulesThatTheCenterSendsFirst() throws Exception {
        stub.greet(event(12));
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            until("rules", source::hasRules);
            assertThat(source.latest().rules()).isEqualTo(set(12).rules());
            assertThat(source.latest().stamp()).isEqualTo(new RuleStamp(12, set(12).digest(), true));
            until("the first look", () -> source.looked().toCompletableFuture().isDone());
            assertThat(listener.query()).isEqualTo("node=shop:8082");
            assertThat(listener.header("Accept")).contains("text/event-stream");
            assertThat(listener.header("Last-Event-ID")).isEmpty();
            assertThat(stub.requests()).containsExactly("GET /api/nodes/rules Bearer secret-token");
        }
    }

    @Test
    void takesEachRelease() throws Exception {
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            for (int version = 1; version <= 20; version++) {
                listener.send(event(version));
                untilVersion(source, version);
            }
        }
    }

    @Test
    void connectsAgainAndNamesTheSetInForce() throws Exception {
        stub.greet(event(1));
        try (RuleFollower source = open()) {
            Listener first = stub.listener();
            untilVersion(source, 1);
            stub.greet("");
            first.end();
            Listener second = stub.listener();
            assertThat(second.header("Last-Event-ID")).contains("1:" + set(1).digest());
            second.send(event(2));
            untilVersion(source, 2);
            until("the center is not lost", () -> source.away().isEmpty());
        }
    }

    @Test
    void callersTryASetAndGoOnAfterAReconnect() throws Exception {
        String state = state(1, "\"2 callers 5 by user key 0123456789abcdef\"", 7);
        stub.greet(event(1) + trial(2) + state);
        try (RuleFollower source = open()) {
            Listener first = stub.listener();
            until("a trial", () -> source.latest().trial() != null);
            assertThat(source.latest().version()).isEqualTo(1);
            assertThat(source.latest().adjustments()).isEqualTo(7);
            assertThat(source.latest().trial().rules().stamp()).isEqualTo(new RuleStamp(2, set(2).digest(), true));
            RuleSet before = source.latest();

            stub.greet("event: weather\ndata: rain\n\n" + trial(2) + state);
            first.end();
            Listener second = stub.listener();
            assertThat(second.header("Last-Event-ID")).contains("1:" + set(1).digest());
            second.send(state(1, "\"2 callers 50 by user key 0123456789abcdef\"", 7));
            until("a wider trial", () -> source.latest().trial().split().sharePercent() == 50);
            assertThat(source.latest().trial().rules()).isSameAs(before.trial().rules());
            assertThat(source.refused()).isEmpty();

            second.send(event(2) + state(2, "null", 8));
            until("the end of the trial", () -> source.latest().adjustments() == 8);
            assertThat(source.latest().version()).isEqualTo(2);
            assertThat(source.latest().trial()).isNull();
        }
    }

    @Test
    void aBadStateOrTrialKeepsTheConnection() throws Exception {
        stub.greet(event(1));
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            untilVersion(source, 1);
            listener.send("event: state\ndata: nonsense\n\n");
            until("a refusal", () -> source.refused().toString().contains("state: "));
            listener.send("event: trial\ndata: nonsense\n\n");
            listener.send(state(1, "\"2 callers 5 by user key 0123456789abcdef\"", 0));
            until("another refusal", () -> source.refused().toString().contains("document: not a saved rule set"));
            assertThat(source.latest().trial()).isNull();
            listener.send(trial(2));
            until("a trial", () -> source.latest().trial() != null);
            until("no refusal", () -> source.refused().isEmpty());
            assertThat(source.away()).isEmpty();
        }
    }

    private static String trial(int version) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set(version), text::append);
        StringBuilder event = new StringBuilder("event: trial\n");
        text.toString()
                .lines()
                .forEach(line -> event.append("data: ").append(line).append('\n'));
        return event.append('\n').toString();
    }

    private static String state(long version, String trial, long revision) {
        return "event: state\ndata: {\"version\":" + version + ",\"trial\":" + trial + ",\"adjustments\":{\"revision\":"
                + revision + ",\"overrides\":[],\"switches\":[]}}\n\n";
    }

    @Test
    void halfAnEventChangesNothing() throws Exception {
        stub.greet(event(1));
        try (RuleFollower source = open()) {
            Listener first = stub.listener();
            untilVersion(source, 1);
            String event = event(2);
            stub.greet("");
            first.send(event.substring(0, event.length() - 1));
            first.end();
            Listener second = stub.listener();
            assertThat(second.header("Last-Event-ID")).contains("1:" + set(1).digest());
            assertThat(source.refused()).isEmpty();
            second.send(event(3));
            untilVersion(source, 3);
        }
    }

    @Test
    void neverGoesBack() throws Exception {
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            listener.send(event(5));
            untilVersion(source, 5);
            listener.send(event(4));
            until("the refusal", () -> refused(source, 4, "version: 4 (expected: 5 or higher; "));
            assertThat(source.latest().version()).isEqualTo(5);
            listener.send(event(5));
            until("the refusal is over", () -> source.refused().isEmpty());
            listener.send("event: none\ndata: {}\n\n");
            until("the refusal", () -> refused(source, 0, "version: none (expected: 5 or higher; "));
            listener.send(event(6));
            untilVersion(source, 6);
            assertThat(source.refusedSet()).isEmpty();
        }
    }

    @Test
    void neverGoesBackOverARestart() throws Exception {
        RuleStamp last = set(5).releasedTo(100).stamp();
        try (RuleFollower source = open(Clock.system(), Optional.of(last), RuleVet.NONE)) {
            Listener listener = stub.listener();
            assertThat(listener.header("Last-Event-ID")).isEmpty();
            listener.send(event(4));
            until("the refusal", () -> refused(source, 4, "version: 4 (expected: 5 or higher; "));
            assertThat(source.hasRules()).isFalse();
            listener.send(event(5));
            untilVersion(source, 5);
        }
    }

    @Test
    void numbersOfFilesEndWhenACenterTakesOver() throws Exception {
        stub.greet(event(1));
        try (RuleFollower source = open(Clock.system(), Optional.of(set(5).stamp()), RuleVet.NONE)) {
            untilVersion(source, 1);
        }
    }

    @Test
    void aVersionNeverGetsOtherRules() throws Exception {
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            listener.send(event(5));
            untilVersion(source, 5);
            listener.send(event(set(6).numbered(5)));
            until("the refusal", () -> refused(source, 5, "version: 5 with other rules than before"));
            assertThat(source.latest().rules()).isEqualTo(set(5).rules());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"rate\":|\"rata\":|digest: ",
                "\"version\":2|\"version\":3|rules: version 3 (expected: the rules that the id names)",
                "\"rules\":[|\"rulez\":[|digest: ",
                "{\"version\"|{\"what\"|document: not a saved rule set"
            })
    void refusesADamagedSetWhole(String right, String wrong, String error) throws Exception {
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            listener.send(event(1));
            untilVersion(source, 1);
            String damaged = event(2).replace(right, wrong);
            assertThat(damaged).isNotEqualTo(event(2));
            listener.send(damaged);
            until("the refusal", () -> refused(source, 2, error));
            assertThat(source.latest().version()).isEqualTo(1);
            listener.send(event(2));
            untilVersion(source, 2);
            assertThat(source.refused()).isEmpty();
        }
    }

    @Test
    void refusesAnEventWithoutAVersion() throws Exception {
        try (RuleFollower source = open()) {
            stub.listener().send("event: rules\nid: x\ndata: {}\n\n");
            until("the refusal", () -> refused(source, 0, "id: x (expected: VERSION:DIGEST)"));
        }
    }

    @Test
    void refusesRulesThatThisProcessCannotApply() throws Exception {
        RuleVet vet = rules -> rules.version() == 2 ? List.of(DocumentError.of("x", "no key")) : List.of();
        try (RuleFollower source = open(Clock.system(), Optional.empty(), vet)) {
            Listener listener = stub.listener();
            listener.send(event(1));
            untilVersion(source, 1);
            listener.send(event(2));
            until("the refusal", () -> refused(source, 2, "no key"));
            assertThat(source.latest().version()).isEqualTo(1);
        }
    }

    @Test
    void hasNoRulesUntilSomeAreReleased() throws Exception {
        stub.greet("event: none\ndata: {}\n\n");
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            source.looked().toCompletableFuture().join();
            assertThat(source.hasRules()).isFalse();
            assertThat(source.refused()).isEmpty();
            assertThat(source.away()).isEmpty();
            listener.send(event(1));
            untilVersion(source, 1);
        }
    }

    @Test
    void saysThatTheTokenIsWrongAndTakesANewOne() throws Exception {
        Files.writeString(token, "wrong");
        stub.greet(event(1));
        try (RuleFollower source = open()) {
            until("the refusal", () -> lost(source, "it answers 401, the token in " + token));
            assertThat(source.hasRules()).isFalse();
            until("the first look", () -> source.looked().toCompletableFuture().isDone());
            Files.writeString(token, "secret-token");
            untilVersion(source, 1);
            until("the center is not lost", () -> source.away().isEmpty());
        }
    }

    @Test
    void theTokenGoesNowhereElse() throws Exception {
        try (CenterStub other = CenterStub.start().greet(event(1))) {
            stub.answerRules(302, "text/plain", other.url() + "/api/nodes/rules");
            try (RuleFollower source = open()) {
                until("the answer", () -> lost(source, "it answers 302, and redirects are not followed"));
            }
            assertThat(other.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, text/html, <html>, its answer is not a stream of events",
        "200, application/json, {}, its answer is not a stream of events",
        "204, text/event-stream, '', it answers 204",
        "500, text/event-stream, x, it answers 500",
        "404, text/plain, x, it answers 404"
    })
    void survivesGarbage(int status, String type, String body, String error) throws Exception {
        stub.answerRules(status, type, body);
        try (RuleFollower source = open()) {
            until("the answer", () -> lost(source, error));
            stub.greet(event(1));
            untilVersion(source, 1);
        }
    }

    @Test
    void survivesAnEndlessAnswer() throws Exception {
        stub.answerRules(200, "text/html", "x".repeat(1_000_000));
        try (RuleFollower source = open()) {
            until("the answer", () -> lost(source, "its answer has more than 10000 bytes"));
        }
    }

    @Test
    void survivesEventsThatItDoesNotKnow() throws Exception {
        try (RuleFollower source = open()) {
            Listener listener = stub.listener();
            listener.send("\u0000\u0001{]\n\n\n\nevent: party\nid: 3\ndata: \u00ff\n\ndata\n\n");
            listener.send(event(1));
            untilVersion(source, 1);
        }
    }

    @Test
    void aSilentCenterIsLost() throws Exception {
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        stub.greet(event(1));
        try (RuleFollower source = open(clock, Optional.empty(), RuleVet.NONE)) {
            Listener first = stub.listener();
            untilVersion(source, 1);
            until("the center is lost", () -> {
                clock.advance(Duration.ofSeconds(1));
                return lost(source, "it sent nothing for 15 s");
            });
            until("the connection is closed", () -> !first.send(": ok\n\n"));
            clock.advance(Duration.ofSeconds(5));
            assertThat(stub.listener().header("Last-Event-ID")).contains("1:" + set(1).digest());
            until("the center is back", () -> source.away().isEmpty());
        }
    }

    @Test
    void aCenterThatSpeaksIsNotLost() throws Exception {
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        try (RuleFollower source = open(clock, Optional.empty(), RuleVet.NONE)) {
            Listener listener = stub.listener();
            for (int version = 1; version <= 5; version++) {
                listener.send(event(version));
                untilVersion(source, version);
                clock.advance(Duration.ofSeconds(14));
            }
            listener.send(event(6));
            untilVersion(source, 6);
            assertThat(stub.requests()).hasSize(1);
        }
    }

    @Test
    void closingEndsTheConnection() throws Exception {
        RuleFollower source = open();
        Listener listener = stub.listener();
        source.close();
        until("the connection is closed", () -> !listener.send(": ok\n\n"));
        assertThat(source.first().toCompletableFuture()).isCompletedExceptionally();
    }

    private RuleFollower open() {
        return open(Clock.system(), Optional.empty(), RuleVet.NONE);
    }

    private RuleFollower open(Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        return RuleFollower.open(new CenterDocuments(center, "shop:8082", clock), last, vet, clock);
    }

    private static boolean refused(RuleFollower source, long version, String error) {
        return source.refusedSet()
                .filter(set -> set.stamp().map(RuleStamp::version).orElse(0L) == version)
                .filter(set -> set.errors().toString().contains(error))
                .isPresent();
    }

    private static boolean lost(RuleFollower source, String why) {
        return source.away().filter(said -> said.contains(why)).isPresent();
    }

    private static RuleSet set(int number) {
        RuleDocument.Accepted document = (RuleDocument.Accepted) RuleDocument.parse(
                "test",
                "rules: [{ id: a, limits: [{ rate: " + number + " }] }, { id: b, name: é, limits: [{ rate: 1 }] }]");
        return new RuleSet(number, document.rules());
    }

    private static String event(int version) {
        return event(set(version));
    }

    private static String event(RuleSet set) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set, text::append);
        return CenterStub.rules(set.version(), set.digest(), text.toString());
    }

    private static void untilVersion(RuleFollower source, long version) {
        until("version " + version, () -> source.latest().version() == version);
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
