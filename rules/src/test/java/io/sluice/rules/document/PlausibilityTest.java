package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleDocument.Text;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistyped names, methods and patterns are found, because they would silently count something else. */
class PlausibilityTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits: [{ by: Header.X-Phone, rate: 1 }] | 1:33: by: Header.X-Phone (expected: header.x-phone)",
                "limits: [{ by: IP, rate: 1 }] | 1:33: by: IP (expected: ip)",
                "limits: [{ by: [user, JSON.Name], rate: 1 }] | 1:40: by: JSON.Name (expected: json.Name)",
                "limits: [{ by: { attribute: User, otherwise: ip }, rate: 1 }] | 1:46: attribute: User (expected: user)",
                "limits: [{ by: { attribute: a, otherwise: Ip }, rate: 1 }] | 1:60: otherwise: Ip (expected: ip)",
                "match: { Path: /a }, action: deny | 1:27: match: Path (expected: path)",
                "match: { Claim.sub: a }, action: deny | 1:27: match: Claim.sub (expected: claim.sub)",
                "limits: [{ rate: 1 }], overrides: [{ when: { PLAN: vip }, rate: 2 }] | 1:63: when: PLAN (expected: plan)",
                "resource: /a, dimensions: [{ type: USER, limit: 1, window: 1s }] | 1:53: type: USER (expected: user)",
            })
    void aKnownNameInAnotherCaseIsAnError(String rule, String error) {
        Refused refused = (Refused) RuleDocument.parse("f", "rules: [{ id: a, " + rule + " }]");
        assertThat(refused.errors()).singleElement().hasToString("f:" + error);
        assertThat(refused.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits: [{ by: usr, rate: 1 }] | 1:33: by: usr: nobody sends this attribute; user, perhaps?"
                        + " Declare it under attributes: if it is yours",
                "limits: [{ by: headers.x-phone, rate: 1 }] | 1:33: by: headers.x-phone: nobody sends this attribute;"
                        + " header.x-phone, perhaps? Declare it under attributes: if it is yours",
                "limits: [{ by: json., rate: 1 }] | 1:33: by: json.: nobody sends this attribute;"
                        + " declare it under attributes: if it is yours",
                "match: { region: eu }, action: deny | 1:27: match: region: nobody sends this attribute;"
                        + " declare it under attributes: if it is yours",
                "limits: [{ rate: 1 }], overrides: [{ when: { pln: vip }, rate: 2 }] | 1:63: when: pln: nobody sends this"
                        + " attribute; plan, perhaps? Declare it under attributes: if it is yours",
                "methods: [GET, FETCH], action: deny | 1:33: methods: FETCH: not a registered method",
                "methods: pots, action: deny | 1:27: methods: pots: not a registered method; POST, perhaps?",
                "match: { method: DELET }, action: deny | 1:35: match.method: DELET: not a registered method;"
                        + " DELETE, perhaps?",
                "resource: '/users/[0-9]+', action: deny | 1:28: resource: /users/[0-9]+: looks like a regular expression,"
                        + " but is compared as it is written; use {name} for one segment and ** for any rest",
            })
    void whatIsProbablyNotMeantIsAWarning(String rule, String warning) {
        Accepted accepted = (Accepted) RuleDocument.parse("f", "rules: [{ id: a, " + rule + " }]");
        assertThat(accepted.rules()).hasSize(1);
        assertThat(accepted.warnings()).singleElement().hasToString("f:" + warning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits: [{ by: [service, path, method, ip, user, tenant, app, plan, domain, key], rate: 1 }]",
                "limits: [{ by: [header.X, query.A, claim.B, form.C, json.D.e, descriptor.F, sluice.point], rate: 1 }]",
                "limits: [{ by: { attribute: userId, otherwise: user }, rate: 1 }]",
                "resource: /a, dimensions: [{ type: user, field: userId, limit: 1, window: 1s }]",
                "resource: /a, dimensions: [{ type: phone, limit: 1, window: 1s }]",
                "match: { method: 'P*' }, action: deny",
                "methods: [get, PROPFIND, M-SEARCH, PURGE, QUERY], action: deny",
                "resource: '/a(b)/c+d/e.f/$g/{id}/**', action: deny",
            })
    void whatRequestsHaveIsNoWarning(String rule) {
        RuleDocument document = RuleDocument.parse("f", "rules: [{ id: a, " + rule + " }]");
        assertThat(document).isInstanceOf(Accepted.class);
        assertThat(document.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a/.*",
                "/a/b.+",
                "/a/(b|c)",
                "/a/(?:b)",
                "/a/(bc)+",
                "/a/b$",
                "/a/[^x]",
                "/v[12]/a",
                "/[a-z]{x}"
            })
    void regularExpressionsAreRecognised(String resource) {
        RuleDocument document =
                RuleDocument.parse("f", "rules: [{ id: a, resource: '" + resource + "', action: deny }]");
        if (document instanceof Accepted) {
            assertThat(document.warnings()).hasSize(1);
        }
    }

    @Test
    void declaredNamesAreKnownInTheWholeSetWhereverTheyAreDeclared() {
        String rules = "rules: [{ id: %s, limits: [{ by: region, rate: 1 }, { by: device, rate: 1 }] }]\n";
        Text declares = new Text("a", rules.formatted("a") + "attributes: [region]");
        Text uses = new Text("b", rules.formatted("b"));
        RuleDocument set = RuleDocument.parseAll(List.of(uses, declares));

        assertThat(set.warnings())
                .extracting(Object::toString)
                .containsExactly(
                        "b:1:58: by: device: nobody sends this attribute; declare it under attributes: if it is yours",
                        "a:1:58: by: device: nobody sends this attribute; declare it under attributes: if it is yours");
        assertThat(RuleDocument.parse("f", "attributes: [region, device]\n" + rules.formatted("c"))
                        .warnings())
                .isEmpty();
        assertThat(((Refused) RuleDocument.parse("f", "{attributes: [IP, 'a b', {}], rules: []}")).errors())
                .extracting(Object::toString)
                .containsExactly(
                        "f:1:15: attributes: IP (expected: ip)",
                        "f:1:19: attributes: a b (expected: an attribute, such as ip or user)",
                        "f:1:26: attributes: a mapping (expected: an attribute, such as ip or user)");
        assertThat(((Refused) RuleDocument.parse("f", "{attributes: region, rules: []}")).errors())
                .hasSize(1);
    }

    @Test
    void aNameIsReportedOnceAndWarningsAreBounded() {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < 3_000; i++) {
            text.append("- { id: r" + i + ", methods: [X], limits: [{ by: same, rate: 1 }, { by: own" + i
                    + ", rate: 1 }] }\n");
        }
        RuleDocument document = RuleDocument.parse("f", text.toString());
        assertThat(document.warnings()).hasSize(2_000);
        assertThat(document.warnings())
                .filteredOn(each -> each.message().contains(" same:"))
                .hasSize(1);
    }

    @Test
    void aSingleRuleCannotDeclareAnythingSoItHasNoWarnings() {
        assertThat(RuleDocument.parseRule("f", "{ id: a, limits: [{ by: usr, rate: 1 }] }")
                        .warnings())
                .isEmpty();
    }
}
