package io.sluice.center.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.callers.Questions;
import io.sluice.center.command.Actor;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.http.CurrentAccess;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.server.ResponseStatusException;

/** Who learns what from an explanation. */
class ExplainRoutesTest {

    private static final String OWN =
            "{id: own, tenant: acme, match: {tenant: acme}, limits: [{limit: 5, window: 1m}]}";
    private static final String OTHER = "{id: other, tenant: globex, limits: [{limit: 5, window: 1m}]}";
    private static final Access ANN = person(Grant.of(Role.VIEWER, "acme"));

    private final ManualClock clock = QuietClock.at(1_800_057_600_000_000L);
    private final Questions questions = new Questions(new LiveNodes(clock), clock);

    @Test
    void aTrialOfRulesOfOthersIsNotTold() {
        RuleSet inForce = rules(1, OWN, OTHER);
        RuleSet foreign = rules(2, OWN, OTHER.replace("5", "6"));
        RuleSet own = rules(2, OWN.replace("5", "6"), OTHER);

        assertThat(explain(onTrial(inForce, foreign), ANN).warnings().toString())
                .doesNotContain("on trial");
        assertThat(explain(onTrial(inForce, own), ANN).warnings().toString()).contains("version 2 is on trial");
        assertThat(explain(onTrial(inForce, foreign), Access.MACHINE).warnings().toString())
                .contains("version 2 is on trial");
    }

    @Test
    void aRuleThatBelongsToOthersInATrialIsNotSeen() {
        RuleSet inForce = rules(1, OWN, OTHER);
        RuleSet given = rules(2, OWN.replace("acme", "globex"), OTHER);

        assertThat(explain(onTrial(inForce, inForce), ANN).rules())
                .extracting(ExplainReply.ExplainedRule::rule)
                .containsExactly("own");
        assertThat(explain(onTrial(inForce, given), ANN).rules()).isEmpty();
    }

    @Test
    void anActorExplainsABoundedNumberOfRequestsInAMinute() {
        ExplainRoutes routes = routes(new FleetRules(rules(1, OWN), Optional.empty(), Adjustments.NONE));
        for (int i = 0; i < 120; i++) {
            assertThat(explain(routes, ANN)).isNotNull();
        }
        assertThatThrownBy(() -> explain(routes, ANN))
                .isInstanceOf(ResponseStatusException.class)
                .hasMessageContaining("in a minute");
        assertThat(explain(routes, Access.MACHINE)).isNotNull();
        clock.advance(Duration.ofMinutes(1));
        assertThat(explain(routes, ANN)).isNotNull();
    }

    @Test
    void adjustedRulesAreMadeOnceAndAgainWhenASwitchEnds() {
        Instant now = Instant.ofEpochSecond(1_800_057_600);
        FleetRules fleet = new FleetRules(
                rules(1, OWN),
                Optional.empty(),
                new Adjustments(1, List.of(), List.of(new ShadowSwitch("1", Optional.of("own"), now.plusSeconds(60)))));
        EffectiveRules effective = new EffectiveRules();

        RuleSet first = effective.of(fleet, now);

        assertThat(first.rule("own").orElseThrow().shadow()).isTrue();
        assertThat(effective.of(fleet, now.plusSeconds(59))).isSameAs(first);
        assertThat(effective
                        .of(fleet, now.plusSeconds(60))
                        .rule("own")
                        .orElseThrow()
                        .shadow())
                .isFalse();
    }

    private static FleetRules onTrial(RuleSet inForce, RuleSet tried) {
        return new FleetRules(
                inForce, Optional.of(new FleetRules.OnTrial(tried, new TrialScope.Nodes(50))), Adjustments.NONE);
    }

    private ExplainRoutes routes(FleetRules fleet) {
        return new ExplainRoutes(new ExplainParts(questions, () -> fleet, clock));
    }

    private ExplainReply explain(FleetRules fleet, Access access) {
        return explain(routes(fleet), access);
    }

    private static ExplainReply explain(ExplainRoutes routes, Access access) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/explain");
        request.setAttribute(
                CurrentAccess.BODY, "{\"attributes\":{\"tenant\":\"acme\"}}".getBytes(StandardCharsets.UTF_8));
        return routes.explain(access, request, new MockHttpServletResponse());
    }

    private static Access person(Grant grant) {
        return Access.person(new Actor("ann"), 7, List.of(grant));
    }

    private static RuleSet rules(long version, String... rules) {
        RuleDocument document = RuleDocument.parse("test", "rules: [" + String.join(", ", rules) + "]");
        return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
    }
}
