package io.sluice.center.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.command.Actor;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.reach.Coverage;
import io.sluice.center.reach.Visibility;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What rights over a tenant or a label cover and show. */
class CoverageTest {

    private static final String LIMITS = ", limits: [{by: user, limit: 5, window: 1m}]";

    private static final Rule OURS = rule("id: ours, tenant: acme, labels: {team: a}, match: {tenant: acme}" + LIMITS);
    private static final Rule THEIRS = rule("id: theirs, tenant: globex" + LIMITS);
    private static final Rule COMMON = rule("id: common" + LIMITS);
    private static final RuleSet SET = new RuleSet(7, List.of(COMMON, OURS, THEIRS));

    private static final Access ACME = access(Grant.of(Role.EDITOR, "acme"));
    private static final Access TEAM = access(new Grant(Role.EDITOR, Optional.empty(), Map.of("team", "a")));
    private static final Access ALL = access(Grant.of(Role.EDITOR));

    @Test
    void aRuleOfNobodyIsSeenOnlyByThoseWhoSeeAll() {
        assertThat(new Visibility(ACME).of(SET).rules()).containsExactly(OURS);
        assertThat(new Visibility(ACME).of(SET).version()).isEqualTo(7);
        assertThat(new Visibility(TEAM).of(SET).rules()).containsExactly(OURS);
        assertThat(new Visibility(ALL).of(SET)).isSameAs(SET);
        assertThat(new Visibility(access()).of(SET).rules()).isEmpty();
    }

    @Test
    void aTokenOfATenantSeesThatTenantAlone() {
        Access token = new Access(
                new Actor("token:1"),
                1,
                List.of(Grant.of(Role.ADMINISTRATOR)),
                Optional.of(Set.of(Scope.READ_ONLY)),
                Optional.of("acme"));
        assertThat(new Visibility(token).of(SET).rules()).containsExactly(OURS);
        assertThat(token.seesAll()).isFalse();
    }

    @Test
    void anotherOrderIsSeenOnlyByThoseWhoSeeAll() {
        List<String> order = List.of("theirs", "ours", "common");
        for (List<Edit> edits : List.of(List.<Edit>of(), List.<Edit>of(new Edit.Remove("ours")))) {
            assertThat(new Visibility(ACME).sees(new Edits(edits, order), List.of(SET)))
                    .isFalse();
            assertThat(new Visibility(ALL).sees(new Edits(edits, order), List.of(SET)))
                    .isTrue();
        }
        assertThat(new Visibility(ACME).sees(new Edits(List.of(new Edit.Remove("ours"))), List.of(SET)))
                .isTrue();
    }

    @Test
    void aDifferenceIsSeenIfNothingHiddenDiffers() {
        Visibility acme = new Visibility(ACME);
        RuleSet without = new RuleSet(8, List.of(COMMON, THEIRS));
        assertThat(acme.seesDifference(SET, without)).isTrue();
        assertThat(acme.seesDifference(SET, new RuleSet(8, List.of(COMMON, OURS))))
                .isFalse();
        assertThat(acme.seesDifference(SET, new RuleSet(8, List.of(THEIRS, OURS, COMMON))))
                .isFalse();
        // A rule that changes its owner is seen by neither.
        Rule given = rule("id: ours, tenant: globex" + LIMITS);
        assertThat(acme.seesDifference(SET, new RuleSet(8, List.of(COMMON, given, THEIRS))))
                .isFalse();
    }

    @Test
    void editsAreCoveredBeforeAndAfter() {
        assertThat(missing(ACME, new Edit.Put(OURS))).isEmpty();
        assertThat(missing(ACME, new Edit.Remove("ours"))).isEmpty();
        assertThat(missing(ACME, new Edit.Put(rule("id: new, tenant: acme" + LIMITS))))
                .isEmpty();
        assertThat(missing(ACME, new Edit.Remove("theirs"))).contains("rule theirs");
        assertThat(missing(ACME, new Edit.Remove("nothing"))).contains("rule nothing");
        assertThat(missing(ACME, new Edit.Put(rule("id: theirs, tenant: acme" + LIMITS))))
                .contains("rule theirs");
        assertThat(missing(ACME, new Edit.Put(rule("id: ours, tenant: globex" + LIMITS))))
                .contains("rule ours");
        assertThat(missing(ACME, new Edit.Put(rule("id: ours" + LIMITS)))).contains("rule ours");
        assertThat(missing(TEAM, new Edit.Put(rule("id: ours, tenant: acme" + LIMITS))))
                .contains("rule ours");
        assertThat(missing(ALL, new Edit.Remove("theirs"))).isEmpty();
        assertThat(missing(ALL, new Edit.Remove("nothing"))).isEmpty();
    }

    @Test
    void onlyARightOverAllRulesCoversTheirOrder() {
        Edits order = new Edits(List.of(), List.of("theirs", "ours", "common"));
        assertThat(Coverage.missing(ACME, Right.EDIT, order, List.of(SET))).contains("the order of rules");
        assertThat(Coverage.missing(ALL, Right.EDIT, order, List.of(SET))).isEmpty();
    }

    @Test
    void aRuleIsConfinedByItsOwnTenantAlone() {
        for (String open : List.of(
                LIMITS,
                ", match: {tenant: globex}" + LIMITS,
                ", match: {tenant: [acme, globex]}" + LIMITS,
                ", match: {tenant: 'acme*'}" + LIMITS,
                ", match: {user: acme}" + LIMITS,
                ", for: code, match: {tenant: acme}" + LIMITS,
                ", action: exempt, match: {tenant: acme}")) {
            Edits edits = new Edits(List.of(new Edit.Put(rule("id: x, tenant: acme" + open))));
            assertThat(Coverage.unconfined(ACME, edits)).as(open).isPresent();
            assertThat(Coverage.unconfined(ALL, edits)).as(open).isEmpty();
        }
        assertThat(Coverage.unconfined(ACME, new Edits(List.of(new Edit.Put(OURS)))))
                .isEmpty();
        assertThat(Coverage.unconfined(ACME, new Edits(List.of(new Edit.Remove("theirs")))))
                .isEmpty();
        // A right by label is one over all tenants.
        Rule wide = rule("id: x, labels: {team: a}" + LIMITS);
        assertThat(Coverage.unconfined(TEAM, new Edits(List.of(new Edit.Put(wide)))))
                .isEmpty();
    }

    private static Optional<String> missing(Access access, Edit edit) {
        return Coverage.missing(access, Right.EDIT, new Edits(List.of(edit)), List.of(SET, SET));
    }

    private static Access access(Grant... grants) {
        return Access.person(new Actor("user:ann"), 1, List.of(grants));
    }

    private static Rule rule(String fields) {
        RuleDocument document = RuleDocument.parse("test", "rules: [{" + fields + "}]");
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) document).rules().get(0);
    }
}
