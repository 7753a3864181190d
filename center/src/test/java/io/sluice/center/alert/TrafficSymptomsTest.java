package io.sluice.center.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.data.CallersView;
import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.SeriesView;
import io.sluice.center.data.TopQuery;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.RefusedMinute.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the figures of the traffic say. */
class TrafficSymptomsTest {

    private static final long NOW = 1_800_000_030_500L;
    private static final long MINUTE = NOW / 60_000;
    private static final long SECOND = NOW / 1_000;
    private static final CallerMark USER = new CallerMark("u****86", "h".repeat(43));
    private static final CallerMark HIDDEN = new CallerMark("", "k".repeat(43));

    private final List<RefusedCaller> top = new ArrayList<>();
    private final List<TopQuery> queries = new ArrayList<>();
    private final Map<Long, List<Tenant>> tenants = new LinkedHashMap<>();
    private final Map<String, Figures> rules = new LinkedHashMap<>();
    private Figures fleet = Figures.NONE;
    private final List<Long> asked = new ArrayList<>();
    private final TrafficSymptoms symptoms =
            new TrafficSymptoms(() -> Optional.of(new Series()), () -> Optional.of(new Callers()));

    private final class Series implements SeriesView {
        @Override
        public Figures fleet(long from, long until) {
            asked.addAll(List.of(from, until));
            return fleet;
        }

        @Override
        public Map<String, Figures> rules(long from, long until) {
            return rules;
        }

        @Override
        public Map<String, Figures> nodes(long from, long until) {
            return Map.of();
        }
    }

    private final class Callers implements CallersView {
        @Override
        public List<RefusedCaller> top(TopQuery query) {
            queries.add(query);
            return top;
        }

        @Override
        public List<Tenant> tenants(long from, long until) {
            asked.addAll(List.of(from, until));
            return tenants.getOrDefault(from, List.of());
        }
    }

    @Test
    void aCallerIsNamedFromTheNumberThatIsCertain() {
        top.add(new RefusedCaller("login", "login/user", "user", USER, 150, 50));
        top.add(new RefusedCaller("login", "login/ip", "ip", HIDDEN, 149, 50));
        Symptom symptom = only(find(AlertKind.CALLER_REFUSED));
        assertThat(symptom.key()).isEqualTo("caller:user:" + USER.hash());
        assertThat(symptom.subject()).isEqualTo("u****86 (user, rule login)");
        assertThat(symptom.summary())
                .isEqualTo("Caller u****86 (user, rule login) was refused at least 100 times in 5m.");
        assertThat(symptom.value()).isEqualTo(100);
        assertThat(symptom.threshold()).isEqualTo(100);
        assertThat(symptom.path())
                .isEqualTo("/traffic?from=2027-01-15T07%3A56%3A00Z&to=2027-01-15T08%3A01%3A00Z&rule=login&caller="
                        + USER.hash());
        TopQuery query = queries.get(0);
        assertThat(query.from()).isEqualTo(MINUTE - 4);
        assertThat(query.until()).isEqualTo(MINUTE + 1);
        assertThat(query.rule()).isEmpty();
        assertThat(query.most()).isEqualTo(100);
    }

    @Test
    void theSameCallerOfSeveralLimitsIsOneAlert() {
        top.add(new RefusedCaller("", "", "user", USER, 300, 0));
        top.add(new RefusedCaller("login", "login/user", "user", USER, 200, 0));
        top.add(new RefusedCaller("login", "login/ip", "ip", HIDDEN, 200, 0));
        List<Symptom> found = find(AlertKind.CALLER_REFUSED);
        assertThat(found).hasSize(2);
        assertThat(found.get(0).value()).isEqualTo(300);
        assertThat(found.get(1).subject()).isEqualTo("#kkkkkkkk (ip, rule login)");
    }

    @Test
    void aCallerAlertCanBeAboutOneRule() {
        symptoms.of(rule(AlertKind.CALLER_REFUSED, "login"), NOW);
        assertThat(queries.get(0).rule()).contains("login");
    }

    @Test
    void aTenantWhoseShareJumpsIsNamed() {
        recent(USER, 70, 30);
        before(USER, 910, 90);
        Symptom symptom = only(find(AlertKind.TENANT_SHARE));
        assertThat(symptom.key()).isEqualTo("tenant:" + USER.hash());
        assertThat(symptom.summary())
                .isEqualTo("30.0 % of the requests of tenant u****86 were refused in 5m, 9.0 % in the hour before.");
        assertThat(symptom.path()).contains("tenant=" + USER.hash());
        assertThat(asked).containsExactly(MINUTE - 4, MINUTE + 1, MINUTE - 64, MINUTE - 4);
    }

    @Test
    void aShareThatIsSmallUsualOrOfFewRequestsIsNoAlert() {
        recent(USER, 81, 19);
        assertThat(find(AlertKind.TENANT_SHARE)).isEmpty();
        recent(USER, 70, 30);
        before(USER, 899, 101);
        assertThat(find(AlertKind.TENANT_SHARE)).isEmpty();
        recent(USER, 0, 99);
        before(USER, 0, 0);
        assertThat(find(AlertKind.TENANT_SHARE)).isEmpty();
        // A tenant without a past has no usual share.
        recent(USER, 0, 100);
        assertThat(find(AlertKind.TENANT_SHARE)).hasSize(1);
    }

    @Test
    void aTenantOfSeveralMinutesIsCountedTogether() {
        tenants.put(
                MINUTE - 4,
                List.of(new Tenant(USER, new Figures(30, 20, 0, 0)), new Tenant(USER, new Figures(30, 20, 0, 0))));
        assertThat(only(find(AlertKind.TENANT_SHARE)).value()).isEqualTo(40);
    }

    @Test
    void theFleetIsOneAlert() {
        fleet = new Figures(50, 50, 0, 0);
        rules.put("login", new Figures(0, 100, 0, 0));
        Symptom symptom = only(find(AlertKind.REFUSAL_SHARE));
        assertThat(symptom.key()).isEqualTo("fleet");
        assertThat(symptom.summary()).isEqualTo("50.0 % of the requests of the fleet were refused in 5m (50 of 100).");
        assertThat(asked).containsExactly(SECOND - 300, SECOND);
        fleet = new Figures(51, 50, 0, 0);
        assertThat(find(AlertKind.REFUSAL_SHARE)).isEmpty();
        fleet = new Figures(0, 99, 0, 0);
        assertThat(find(AlertKind.REFUSAL_SHARE)).isEmpty();
    }

    @Test
    void eachRuleOrOneOfThemCanBeWatched() {
        rules.put("login", new Figures(40, 60, 0, 0));
        rules.put("search", new Figures(10, 190, 0, 0));
        rules.put("", new Figures(0, 500, 0, 0));
        assertThat(symptoms.of(rule(AlertKind.REFUSAL_SHARE, "*"), NOW).orElseThrow())
                .extracting(Symptom::key)
                .containsExactly("rule:login", "rule:search");
        Symptom one =
                only(symptoms.of(rule(AlertKind.REFUSAL_SHARE, "search"), NOW).orElseThrow());
        assertThat(one.value()).isEqualTo(95);
        assertThat(one.path()).endsWith("&rule=search");
    }

    @Test
    void withoutFiguresNothingIsKnown() {
        TrafficSymptoms nothing = new TrafficSymptoms(Optional::empty, Optional::empty);
        for (AlertKind kind : AlertKind.values()) {
            assertThat(nothing.of(AlertRule.builtIn(kind), NOW)).isEmpty();
        }
    }

    private List<Symptom> find(AlertKind kind) {
        return symptoms.of(AlertRule.builtIn(kind), NOW).orElseThrow();
    }

    private static AlertRule rule(AlertKind kind, String of) {
        AlertRule rule = AlertRule.builtIn(kind);
        Thresholds thresholds = new Thresholds(100, 50, 3, 100, Duration.ofMinutes(5), Duration.ofMinutes(1), of);
        return new AlertRule(
                "own", kind, 1, true, rule.severity(), rule.hold(), rule.clearFor(), rule.repeat(), thresholds);
    }

    private void recent(CallerMark tenant, long allowed, long refused) {
        tenants.put(MINUTE - 4, List.of(new Tenant(tenant, new Figures(allowed, refused, 0, 0))));
    }

    private void before(CallerMark tenant, long allowed, long refused) {
        tenants.put(MINUTE - 64, List.of(new Tenant(tenant, new Figures(allowed, refused, 0, 0))));
    }

    private static Symptom only(List<Symptom> found) {
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
