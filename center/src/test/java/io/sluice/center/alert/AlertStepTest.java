package io.sluice.center.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.alert.Alert.State;
import io.sluice.center.destination.AlertMessage.Event;
import io.sluice.center.destination.AlertSeverity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The states of an alert, second by second. */
class AlertStepTest {

    private static final long START = 1_800_000_000_000L;
    private static final AlertRule RULE = new AlertRule(
            "degraded",
            AlertKind.DEGRADED,
            0,
            true,
            AlertSeverity.CRITICAL,
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            Duration.ofMinutes(10),
            Thresholds.USUAL);

    private final List<Event> told = new ArrayList<>();
    private long now = START;
    private @Nullable Alert alert;
    private AlertRule rule = RULE;
    private boolean silenced;

    @Test
    void nothingComesOfNothing() {
        seconds(100, false);
        assertThat(alert).isNull();
        assertThat(told).isEmpty();
    }

    @Test
    void firesWhenItHasLastedLongEnoughAndNotBefore() {
        seconds(30, true);
        assertState(State.PENDING);
        assertThat(told).isEmpty();
        seconds(1, true);
        assertState(State.FIRING);
        assertThat(told).containsExactly(Event.FIRING);
        assertThat(alert().since()).isEqualTo(START);
        assertThat(alert().firedAt()).isEqualTo(START + 30_000);
    }

    @Test
    void withoutHoldItFiresAtOnce() {
        rule = rule(Duration.ZERO, Duration.ZERO, RULE.repeat());
        seconds(1, true);
        assertState(State.FIRING);
        seconds(1, false);
        assertState(State.RESOLVED);
        assertThat(told).containsExactly(Event.FIRING, Event.RESOLVED);
    }

    @Test
    void flappingNeverFires() {
        for (int i = 0; i < 100; i++) {
            seconds(29, true);
            seconds(1, false);
            assertThat(alert).isNull();
        }
        assertThat(told).isEmpty();
    }

    @Test
    void flappingNeverResolvesAndIsToldOnce() {
        rule = rule(RULE.hold(), RULE.clearFor(), Duration.ofDays(1));
        seconds(31, true);
        for (int i = 0; i < 100; i++) {
            seconds(19, false);
            assertState(State.FIRING);
            seconds(1, true);
        }
        assertThat(told).containsExactly(Event.FIRING);
        assertThat(alert().since()).isEqualTo(START);
    }

    @Test
    void resolvesWhenItIsGoneForLongEnough() {
        seconds(31, true);
        seconds(20, false);
        assertState(State.FIRING);
        seconds(1, false);
        assertState(State.RESOLVED);
        assertThat(alert().resolvedAt()).isEqualTo(START + 51_000);
        assertThat(told).containsExactly(Event.FIRING, Event.RESOLVED);
        seconds(100, false);
        assertThat(told).hasSize(2);
    }

    @Test
    void aResolvedOneBeginsAnew() {
        seconds(31, true);
        seconds(21, false);
        Alert first = alert().numbered(7);
        alert = first;
        seconds(1, true);
        assertState(State.PENDING);
        assertThat(alert().id()).isZero();
        assertThat(alert().since()).isEqualTo(START + 52_000);
        assertThat(alert().toldAt()).isZero();
        seconds(30, true);
        assertThat(told).containsExactly(Event.FIRING, Event.RESOLVED, Event.FIRING);
    }

    @Test
    void isToldAgainAfterItsTime() {
        seconds(31, true);
        seconds(599, true);
        assertThat(told).containsExactly(Event.FIRING);
        seconds(1, true);
        assertThat(told).containsExactly(Event.FIRING, Event.REPEATED);
        seconds(600, true);
        assertThat(told).containsExactly(Event.FIRING, Event.REPEATED, Event.REPEATED);
    }

    @Test
    void whatIsSilencedIsNeverTold() {
        silenced = true;
        seconds(2_000, true);
        assertState(State.FIRING);
        seconds(21, false);
        assertState(State.RESOLVED);
        assertThat(told).isEmpty();
    }

    @Test
    void aSilenceThatEndsTellsWhatStillFires() {
        silenced = true;
        seconds(100, true);
        silenced = false;
        seconds(1, true);
        assertThat(told).containsExactly(Event.FIRING);
        seconds(21, false);
        assertThat(told).containsExactly(Event.FIRING, Event.RESOLVED);
    }

    @Test
    void aSilenceInTheMiddleStopsRepeatsAndTheEnd() {
        seconds(31, true);
        silenced = true;
        seconds(1_000, true);
        assertThat(told).containsExactly(Event.FIRING);
        silenced = false;
        seconds(1, true);
        assertThat(told).containsExactly(Event.FIRING, Event.REPEATED);
        silenced = true;
        seconds(21, false);
        assertState(State.RESOLVED);
        assertThat(told).hasSize(2);
    }

    @Test
    void theEndOfSomethingThatNobodyHeardOfIsNotTold() {
        silenced = true;
        seconds(31, true);
        silenced = false;
        seconds(21, false);
        assertState(State.RESOLVED);
        assertThat(told).isEmpty();
    }

    @Test
    void aRuleThatIsTurnedOffResolvesAtOnce() {
        seconds(31, true);
        rule = new AlertRule(
                RULE.id(),
                RULE.kind(),
                1,
                false,
                RULE.severity(),
                RULE.hold(),
                RULE.clearFor(),
                RULE.repeat(),
                RULE.thresholds());
        seconds(1, false);
        assertState(State.RESOLVED);
        assertThat(told).containsExactly(Event.FIRING, Event.RESOLVED);
    }

    @Test
    void aChangedSeverityAppliesToWhatFires() {
        seconds(31, true);
        rule = new AlertRule(
                RULE.id(),
                RULE.kind(),
                1,
                true,
                AlertSeverity.INFO,
                RULE.hold(),
                RULE.clearFor(),
                RULE.repeat(),
                RULE.thresholds());
        seconds(1, true);
        assertThat(alert().severity()).isEqualTo(AlertSeverity.INFO);
    }

    @Test
    void aClockThatIsSetBackDelaysAndNeverStopsAnAlert() {
        seconds(10, true);
        now -= Duration.ofDays(365).toMillis();
        seconds(30, true);
        assertState(State.PENDING);
        seconds(1, true);
        assertState(State.FIRING);
        now -= Duration.ofDays(365).toMillis();
        seconds(601, true);
        assertThat(told).containsExactly(Event.FIRING, Event.REPEATED);
        seconds(5, false);
        now -= Duration.ofDays(365).toMillis();
        seconds(20, false);
        assertState(State.FIRING);
        seconds(1, false);
        assertState(State.RESOLVED);
    }

    @Test
    void goesOnAfterARestartWhereItWas() {
        seconds(31, true);
        // The database has no time since when it is clear, so that starts anew.
        alert = alert().clearSince(0).numbered(1);
        now += 300_000;
        seconds(1, true);
        assertThat(told).containsExactly(Event.FIRING);
        now += 300_000;
        seconds(1, true);
        assertThat(told).containsExactly(Event.FIRING, Event.REPEATED);
    }

    @Test
    void silencesCoverWhatTheyName() {
        seconds(31, true);
        assertThat(silence("degraded", "", "").covers(alert(), now)).isTrue();
        assertThat(silence("drift", "", "").covers(alert(), now)).isFalse();
        assertThat(silence("", "degraded", "").covers(alert(), now)).isTrue();
        assertThat(silence("", "other", "").covers(alert(), now)).isFalse();
        assertThat(silence("", "degraded", "node:n1").covers(alert(), now)).isTrue();
        assertThat(silence("", "degraded", "node:n2").covers(alert(), now)).isFalse();
        assertThat(silence("degraded", "", "").covers(alert(), now + 60_000)).isFalse();
    }

    private Silence silence(String kind, String ofRule, String key) {
        return new Silence(1, kind, ofRule, key, "", "why", "user:a", now, now + 60_000);
    }

    private static AlertRule rule(Duration hold, Duration clearFor, Duration repeat) {
        return new AlertRule(
                RULE.id(), RULE.kind(), 0, true, RULE.severity(), hold, clearFor, repeat, RULE.thresholds());
    }

    /** One step a second. The clock moves after each. */
    private void seconds(int count, boolean isWrong) {
        for (int i = 0; i < count; i++) {
            Symptom symptom = isWrong ? new Symptom("node:n1", "node n1", "It is wrong.", "有问题。", i, 1, "/") : null;
            AlertStep step = AlertStep.of(alert, symptom, rule, silenced, now);
            alert = step.next().orElse(null);
            Optional<Event> event = step.told();
            event.ifPresent(told::add);
            now += 1_000;
        }
    }

    private Alert alert() {
        return Objects.requireNonNull(alert);
    }

    private void assertState(State expected) {
        assertThat(alert().state()).isEqualTo(expected);
    }
}
