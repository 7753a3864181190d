package io.sluice.center.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.destination.AlertSettings;
import io.sluice.center.destination.Destinations;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alerts over a database: what survives, who sends, and what is bounded. */
abstract class AlertsContract {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Actor ROOT = new Actor("user:root");

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private final Map<AlertKind, Optional<List<Symptom>>> seen = new EnumMap<>(AlertKind.class);
    private final List<String> heard = new ArrayList<>();
    private Database database;
    private Destinations nowhere;
    private Alerts alerts;

    /** Returns the URL of a new database. */
    abstract String url();

    @BeforeEach
    void open() throws Exception {
        database = Database.open(url(), data);
        nowhere = Destinations.open(AlertSettings.NONE, clock);
        alerts = another();
    }

    @AfterEach
    void close() {
        alerts.close();
        database.close();
    }

    private Alerts another() {
        Symptoms source = (rule, now) -> seen.getOrDefault(rule.kind(), Optional.of(List.of()));
        Alerts made = new Alerts(
                database, log, clock, source, source, nowhere, () -> Optional.of(URI.create("https://sluice.example")));
        made.listen(heard::add);
        return made;
    }

    @Test
    void anAlertFiresIsShownAndIsResolved() {
        see(AlertKind.DEGRADED, "node:n1");
        alerts.turn(true);
        assertThat(alerts.list()).singleElement().satisfies(alert -> {
            assertThat(alert.state()).isEqualTo("pending");
            assertThat(alert.id()).isZero();
        });
        assertThat(heard).isEmpty();
        pass(30);
        assertThat(alerts.list()).singleElement().satisfies(alert -> {
            assertThat(alert.state()).isEqualTo("firing");
            assertThat(alert.id()).isEqualTo(1);
            assertThat(alert.kind()).isEqualTo("degraded");
            assertThat(alert.severity()).isEqualTo("critical");
            assertThat(alert.since()).isEqualTo(Instant.ofEpochMilli(1_800_000_000_000L));
            assertThat(alert.key()).isEqualTo("node:n1");
            assertThat(alert.link()).isEqualTo("https://sluice.example/nodes?id=1");
            assertThat(alert.silenced()).isFalse();
        });
        seen.clear();
        pass(61);
        assertThat(alerts.list()).singleElement().satisfies(alert -> assertThat(alert.state())
                .isEqualTo("resolved"));
        assertThat(heardStates()).containsExactly("firing", "resolved");
        clock.advance(Duration.ofDays(1));
        assertThat(alerts.list()).isEmpty();
    }

    @Test
    void whatFiresSurvivesARestartAndIsNotToldTwice() {
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        see(AlertKind.BREAKER_OPEN, "node:n1");
        pass(5);
        Alerts next = another();
        pass(next, 1);
        assertThat(states(next)).containsExactly("pending", "firing");
        // What was pending starts anew.
        pass(next, 8);
        assertThat(states(next)).containsExactly("pending", "firing");
        pass(next, 1);
        assertThat(states(next)).containsExactly("firing", "firing");
        assertThat(heardStates()).containsExactly("firing", "firing");
        seen.clear();
        pass(next, 61);
        assertThat(states(next)).containsExactly("resolved", "resolved");
    }

    @Test
    void onlyTheLeaderLooksAndAllOthersShow() {
        Alerts other = another();
        see(AlertKind.DEGRADED, "node:n1");
        for (int i = 0; i < 31; i++) {
            alerts.turn(true);
            other.turn(false);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(heardStates()).containsExactly("firing");
        assertThat(states(other)).containsExactly("firing");
        // The other one takes over while the first one still believes that it leads nothing.
        alerts.turn(false);
        pass(other, 100);
        assertThat(heardStates()).containsExactly("firing");
        seen.clear();
        pass(other, 61);
        assertThat(states(alerts)).containsExactly("resolved");
        // Back again: the first one learns from the database that it is over.
        see(AlertKind.DEGRADED, "node:n1");
        pass(alerts, 31);
        assertThat(states(alerts)).containsExactly("firing", "resolved");
    }

    @Test
    void whatAnEarlierLeaderStoresLateEndsWithTheAlert() {
        Alerts earlier = another();
        see(AlertKind.DEGRADED, "node:n1");
        pass(earlier, 25);
        // The earlier leader stands still; when it continues, the new one has looked already.
        pass(alerts, 20);
        earlier.turn(true);
        earlier.turn(false);
        pass(alerts, 20);
        assertThat(states(alerts)).containsExactly("firing");
        seen.clear();
        pass(61);
        assertThat(states(alerts)).containsExactly("resolved");
        assertThat(count("alert")).isOne();
    }

    @Test
    void whatAnEarlierLeaderResolvesLateIsShownAndSentAgain() {
        Alerts earlier = another();
        Alerts reader = another();
        see(AlertKind.DEGRADED, "node:n1");
        pass(earlier, 31);
        seen.clear();
        pass(earlier, 59);
        // The earlier leader stands still. Another one takes over and sees the problem again.
        see(AlertKind.DEGRADED, "node:n1");
        pass(alerts, 10);
        seen.clear();
        earlier.turn(true);
        earlier.turn(false);
        assertThat(heardStates()).containsExactly("firing", "resolved");
        see(AlertKind.DEGRADED, "node:n1");
        pass(alerts, 1);
        for (Alerts each : List.of(alerts, reader)) {
            assertThat(states(each)).containsExactly("firing");
        }
        assertThat(heardStates()).containsExactly("firing", "resolved", "firing");
        pass(alerts, 100);
        seen.clear();
        pass(alerts, 61);
        assertThat(states(reader)).containsExactly("resolved");
        assertThat(heardStates()).containsExactly("firing", "resolved", "firing", "resolved");
    }

    @Test
    void overlappingSilencesEndOneByOne() {
        see(AlertKind.DEGRADED, "node:n1");
        Silence whole = silence(new AlertBook.Wish("degraded", "", 0), 600);
        Silence sameEnd = silence(new AlertBook.Wish("degraded", "", 0), 600);
        Silence shorter = silence(new AlertBook.Wish("", "degraded", 0), 60);
        pass(31);
        assertThat(alerts.list()).singleElement().satisfies(alert -> assertThat(alert.silenced())
                .isTrue());
        assertThat(told()).isZero();
        // One ends by its time and one by hand; the third still covers the alert.
        pass(60);
        alerts.book().end(ROOT, whole.id(), "for a test");
        pass(10);
        assertThat(told()).isZero();
        assertThatThrownBy(() -> alerts.book().end(ROOT, shorter.id(), "for a test"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("unknown or over");
        assertThatThrownBy(() -> alerts.book().end(ROOT, whole.id(), "for a test"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("unknown or over");
        alerts.book().end(ROOT, sameEnd.id(), "for a test");
        pass(1);
        assertThat(told()).isPositive();
        // A clock that is set back does not bring a silence back that a person has ended.
        clock.stepWall(Duration.ofSeconds(-10));
        pass(1);
        assertThat(alerts.list()).singleElement().satisfies(alert -> assertThat(alert.silenced())
                .isFalse());
    }

    private Silence silence(AlertBook.Wish wish, long seconds) {
        return alerts.book().silence(ROOT, wish, in(seconds), "for a test");
    }

    @Test
    void aSecondRowOfAnAlertIsResolved() {
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        // What is left if a row was stored and the answer was lost.
        int unused = database.write(client -> client.sql("INSERT INTO alert (id, state, since, resolved_at, body)"
                        + " SELECT 99, state, since, resolved_at, body FROM alert")
                .update());
        pass(1);
        assertThat(states(alerts)).containsExactlyInAnyOrder("firing", "resolved");
        assertThat(heardStates()).containsExactly("firing", "resolved");
    }

    @Test
    void aClockThatIsSetFiresEndsAndRepeatsNothingEarly() {
        for (Duration step : List.of(Duration.ofDays(1), Duration.ofDays(-1))) {
            heard.clear();
            clock.advance(Duration.ofSeconds(1));
            see(AlertKind.DEGRADED, "node:n1");
            pass(10);
            clock.stepWall(step);
            pass(19);
            assertThat(heard).isEmpty();
            pass(1);
            assertThat(heardStates()).containsExactly("firing");
            clock.stepWall(step);
            pass(100);
            assertThat(heardStates()).containsExactly("firing");
            seen.clear();
            pass(30);
            clock.stepWall(step);
            pass(30);
            assertThat(heardStates()).containsExactly("firing");
            pass(1);
            assertThat(heardStates()).containsExactly("firing", "resolved");
        }
    }

    @Test
    void anUnknownStateChangesNothing() {
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        seen.put(AlertKind.DEGRADED, Optional.empty());
        pass(20);
        assertThat(states(alerts)).containsExactly("firing");
    }

    @Test
    void aSourceThatBreaksDoesNotStopTheOthers() {
        Alerts broken = new Alerts(
                database,
                log,
                clock,
                (rule, now) -> {
                    if (rule.kind() == AlertKind.DRIFT) {
                        throw new IllegalStateException("broken for a test");
                    }
                    return seen.getOrDefault(rule.kind(), Optional.of(List.of()));
                },
                (rule, now) -> Optional.empty(),
                nowhere,
                () -> Optional.of(URI.create("https://sluice.example")));
        see(AlertKind.NODE_SILENT, "node:n1");
        pass(broken, 61);
        assertThat(states(broken)).containsExactly("firing");
    }

    @Test
    void oneRuleLeavesRoomForOthers() {
        seen.put(
                AlertKind.NODE_SILENT,
                Optional.of(IntStream.range(0, 1_500)
                        .mapToObj(i -> symptom("node:n" + i))
                        .toList()));
        see(AlertKind.DEGRADED, "node:n1");
        pass(61);
        assertThat(alerts.list()).hasSize(Alerts.MOST_OF_RULE + 1);
        assertThat(alerts.list()).anyMatch(alert -> alert.kind().equals("degraded"));
        assertThat(alerts.problems())
                .containsExactly("there are too many alerts; of one rule 100 are shown, and 1000 of all");
        seen.clear();
        pass(61);
        assertThat(alerts.problems()).isEmpty();
    }

    @Test
    void aSilencedAlertIsShownAndStored() {
        Silence silence = alerts.book().silence(ROOT, new AlertBook.Wish("degraded", "", 0), in(3_600), "we know");
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        assertThat(alerts.list()).singleElement().satisfies(alert -> {
            assertThat(alert.state()).isEqualTo("firing");
            assertThat(alert.silenced()).isTrue();
        });
        assertThat(told()).isZero();
        Silence ended = alerts.book().end(ROOT, silence.id(), "it is over");
        assertThat(ended.until()).isEqualTo(clock.epochMicros() / 1000);
        pass(1);
        assertThat(alerts.list().get(0).silenced()).isFalse();
        assertThat(told()).isPositive();
        assertThatThrownBy(() -> alerts.book().end(ROOT, silence.id(), "again")).isInstanceOf(RefusedException.class);
    }

    @Test
    void aSilenceOfAnAlertCoversItsSubjectWhenItComesAgain() {
        see(AlertKind.DEGRADED, "node:n1", "node:n2");
        pass(31);
        long id = alerts.list().stream()
                .filter(alert -> alert.key().equals("node:n1"))
                .findFirst()
                .orElseThrow()
                .id();
        Silence silence = alerts.book().silence(ROOT, new AlertBook.Wish("", "", id), in(86_400), "we know");
        assertThat(silence.key()).isEqualTo("node:n1");
        seen.clear();
        pass(61);
        see(AlertKind.DEGRADED, "node:n1", "node:n2");
        pass(31);
        assertThat(alerts.list().stream()
                        .filter(alert -> alert.state().equals("firing") && alert.silenced())
                        .map(AlertReply::key))
                .containsExactly("node:n1");
    }

    @Test
    void rulesCanBeChangedAddedAndRemoved() {
        AlertRule changed = put("degraded", 0, "{\"for\":\"0s\",\"severity\":\"info\"}");
        assertThat(changed.revision()).isEqualTo(1);
        assertThat(changed.clearFor()).isEqualTo(Duration.ofMinutes(1));
        assertThat(another().book().rules()).contains(changed);
        see(AlertKind.DEGRADED, "node:n1");
        pass(1);
        assertThat(alerts.list().get(0).severity()).isEqualTo("info");
        assertThatThrownBy(() -> put("degraded", 0, "{\"for\":\"1s\"}"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("revision: 0 (expected: 1");
        AlertRule own = put("login-refusals", 0, "{\"kind\":\"refusal_share\",\"rule\":\"login\",\"share\":12.5}");
        assertThat(own.thresholds().share()).isEqualTo(12.5);
        assertThat(own.isBuiltIn()).isFalse();
        assertThat(alerts.book().rules()).hasSize(AlertKind.values().length + 1);
        alerts.book().remove(ROOT, "login-refusals", "not needed");
        AlertRule first = alerts.book().remove(ROOT, "degraded", "as before");
        assertThat(first.revision()).isEqualTo(1);
        assertThat(alerts.book().rules()).isEqualTo(AlertRule.builtIn());
    }

    @Test
    void aRuleThatIsTurnedOffOrRemovedResolvesItsAlerts() {
        put("own", 0, "{\"kind\":\"degraded\",\"for\":\"0s\"}");
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        assertThat(states(alerts)).containsExactly("firing", "firing");
        alerts.book().remove(ROOT, "own", "not needed");
        put("degraded", 0, "{\"enabled\":false}");
        pass(1);
        assertThat(states(alerts)).containsExactly("resolved", "resolved");
    }

    @Test
    void nonsenseIsRefusedWithWhatIsExpected() {
        assertRefused("degraded", "{\"share\":5}", "share: not of degraded (expected: clear_for, enabled,");
        assertRefused("tenant_share", "{\"share\":101}", "share: not usable (expected: a number above 0, at most 100)");
        assertRefused("tenant_share", "{\"within\":\"2h\"}", "within: 2h (expected: 1m to 55m");
        assertRefused("degraded", "{\"for\":\"soon\"}", "for: soon (expected: 0s to 1d, such as 5m)");
        assertRefused("degraded", "{\"severity\":\"loud\"}", "severity: loud (expected: info, warning or critical)");
        assertRefused("degraded", "{\"kind\":\"drift\"}", "kind: another one (expected: degraded");
        assertRefused("new", "{\"kind\":\"nothing\"}", "kind: unknown");
        assertRefused("new", "{}", "alert rule new: unknown");
        assertRefused("../etc", "{\"kind\":\"drift\"}", "id: not usable");
        assertRefused("refusal_share", "{\"rule\":\"a\\nb\"}", "rule: not usable");
        assertRefused("caller_refused", "{\"refused\":0}", "refused: 0 (expected: 1 to");
        assertThatThrownBy(() -> new AlertBook.Wish("drift", "own", 0)).hasMessageContaining("not exactly one of them");
        assertThatThrownBy(
                        () -> alerts.book().silence(ROOT, new AlertBook.Wish("drift", "", 0), in(31 * 86_400), "why"))
                .hasMessageContaining("until: not usable (expected: a time within the next 30 days)");
        assertThatThrownBy(() -> alerts.book().silence(ROOT, new AlertBook.Wish("", "", 99), in(60), "why"))
                .hasMessageContaining("alert: unknown");
    }

    @Test
    void whatIsOverGoesAfterThirtyDays() {
        alerts.book().silence(ROOT, new AlertBook.Wish("drift", "", 0), in(60), "short");
        see(AlertKind.DEGRADED, "node:n1");
        pass(31);
        seen.clear();
        pass(61);
        clock.advance(Duration.ofDays(29));
        pass(1);
        assertThat(count("alert")).isEqualTo(1);
        assertThat(count("alert_silence")).isEqualTo(1);
        clock.advance(Duration.ofDays(2));
        pass(1);
        assertThat(count("alert")).isZero();
        assertThat(count("alert_silence")).isZero();
    }

    @Test
    void textsOfOthersHaveNoLineBreaks() {
        seen.put(
                AlertKind.RELEASE_NOT_ACKNOWLEDGED,
                Optional.of(List.of(new Symptom(
                        "node:a\r\nb",
                        "node <b>\r\nx</b>",
                        "Node said: \r\n\u2028 <script>" + "y".repeat(5_000),
                        "节点说：\n" + "y".repeat(5_000),
                        1,
                        1,
                        "/releases/1"))));
        pass(1);
        AlertReply shown = alerts.list().get(0);
        assertThat(shown.subject()).isEqualTo("node <b> x</b>");
        assertThat(shown.summary()).startsWith("Node said: <script>yy").hasSizeLessThan(510);
        assertThat(shown.key()).isEqualTo("node:a b");
        assertThat(heard.get(0)).doesNotContain("\n", "\\n", "\\r");
    }

    private void assertRefused(String id, String body, String message) {
        assertThatThrownBy(() -> put(id, 0, body))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(message);
    }

    private AlertRule put(String id, long revision, String body) {
        return alerts.book().put(ROOT, id, revision, JSON.readTree(body), "for a test");
    }

    private Instant in(long seconds) {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000).plusSeconds(seconds);
    }

    private void see(AlertKind kind, String... keys) {
        seen.put(
                kind,
                Optional.of(List.of(keys).stream().map(AlertsContract::symptom).toList()));
    }

    private static Symptom symptom(String key) {
        return new Symptom(key, "node", "It is wrong.", "有问题。", 1, 1, "/nodes?id=1");
    }

    private void pass(int seconds) {
        pass(alerts, seconds);
    }

    /** Turns once a second, now and after each. */
    private void pass(Alerts leader, int seconds) {
        leader.turn(true);
        for (int i = 0; i < seconds; i++) {
            clock.advance(Duration.ofSeconds(1));
            leader.turn(true);
        }
    }

    private static List<String> states(Alerts of) {
        return of.list().stream().map(AlertReply::state).toList();
    }

    private List<String> heardStates() {
        return heard.stream()
                .map((String json) -> JSON.readTree(json))
                .map(json -> json.get("state").asString())
                .toList();
    }

    /** When the newest alert was last told, as the database has it. */
    private long told() {
        String text = database.read(client -> client.sql("SELECT body FROM alert ORDER BY id DESC LIMIT 1")
                .query(String.class)
                .single());
        JsonNode body = JSON.readTree(text);
        return body.get("told").asLong();
    }

    private long count(String table) {
        return database.read(client ->
                client.sql("SELECT COUNT(*) FROM " + table).query(Long.class).single());
    }
}
