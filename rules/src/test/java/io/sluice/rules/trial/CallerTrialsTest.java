package io.sluice.rules.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.trial.CallerTrials.Answer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerTrialsTest {

    private static final String BEFORE = """
            rules:
              - { id: everything, limits: [{ rate: 1000 }] }
              - id: orders
                service: shop
                limits:
                  - { id: user, by: [tenant, user], rate: 50 }
                  - { id: tenant, by: tenant, limit: 100, window: 1m }
                  - { id: ip, by: ip, limit: 20, window: 1h }
                overrides: [{ when: { plan: vip }, of: user, rate: 200 }]
            """;

    @ParameterizedTest
    @CsvSource({
        "'rate: 50 }', 'rate: 60 }', user",
        "'limit: 100,', 'limit: 110,', tenant",
        "'limit: 20,', 'limit: 10,', ip",
        "'rate: 200 }', 'rate: 300 }', user",
        "'window: 1h', 'window: 2h', ip",
        "'  - { id: everything', '  - { id: banned, match: { ip: 203.0.113.9 }, action: deny }\n  - { id: everything', user",
        "'service: shop', 'service: shop\n    name: Orders', user",
        "'service: shop', 'service: shop\n    on_failure: closed', user",
        "'service: shop', 'service: shop\n    candidate: [{ rate: 5 }]', user"
    })
    void choosesWhatEveryChangedLimitCountsBy(String old, String now, String attribute) {
        assertThat(attribute(old, now, null)).isEqualTo(new Answer.By(attribute));
    }

    @ParameterizedTest
    @CsvSource({
        "'rate: 1000', 'rate: 900', everything.0, 'all callers together'",
        "'  - { id: everything', '  - { id: new, limits: [{ limit: 5, window: 1s }] }\n  - { id: everything', new.0, 'all callers together'",
        "'service: shop', 'service: store', orders.ip, 'by ip'",
        "'service: shop', 'service: shop\n    mode: local', orders.ip, 'by ip'",
        "'service: shop', 'service: shop\n    shadow: true', orders.ip, 'by ip'"
    })
    void namesTheLimitThatIsInTheWay(String old, String now, String limit, String why) {
        Answer.Impossible answer = (Answer.Impossible) attribute(old, now, null);

        assertThat(answer.why()).contains(why).contains("candidate");
        assertThat(answer.why()).contains("limit " + answer.limit());
        if (!limit.equals("orders.ip")) {
            assertThat(answer.limit()).isEqualTo(limit);
        }
    }

    @Test
    void splitsByWhatIsWanted() {
        assertThat(attribute("rate: 50 }", "rate: 60 }", "tenant")).isEqualTo(new Answer.By("tenant"));
        assertThat(((Answer.Impossible) attribute("rate: 50 }", "rate: 60 }", "ip")).why())
                .contains("limit orders.user counts by tenant, user")
                .contains("count by ip;");
    }

    @Test
    void refusesAnAttributeThatMeansAnotherOneIfItIsAbsent() {
        RuleSet before =
                rules("[{ id: a, resource: /a, dimensions: [{ type: user, field: userId, limit: 5, window: 1s }] }]");
        RuleSet after =
                rules("[{ id: a, resource: /a, dimensions: [{ type: user, field: userId, limit: 6, window: 1s }] }]");

        assertThat(CallerTrials.attribute(before, after, Optional.of("user"))).isInstanceOf(Answer.Impossible.class);
    }

    @Test
    void waitsForTheLongestWindowThatStartsFresh() {
        assertThat(settling("limit: 100,", "limit: 110,")).isZero();
        assertThat(settling("limit: 100,", "limit: 0,")).isZero();
        assertThat(settling("window: 1h", "window: 2h")).isEqualTo(Duration.ofHours(2));
        assertThat(settling("service: shop", "service: shop\n    name: Orders")).isZero();
        assertThat(settling("window: 1h", "window: 1m")).isEqualTo(Duration.ofMinutes(1));
    }

    private static Duration settling(String old, String now) {
        return CallerTrials.settling(rules(BEFORE), rules(changed(old, now)));
    }

    private static Answer attribute(String old, String now, String wanted) {
        return CallerTrials.attribute(rules(BEFORE), rules(changed(old, now)), Optional.ofNullable(wanted));
    }

    private static String changed(String old, String now) {
        assertThat(BEFORE).contains(old);
        return BEFORE.replace(old, now);
    }

    private static RuleSet rules(String text) {
        RuleDocument document = RuleDocument.parse("rules.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
