package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.KeyDigest;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.side.Sides;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which counts belong to a subject. Keys come from the same code that decisions use. */
final class SubjectKeysTest {

    private static final String RULES = """
            rules:
              - { id: all, limits: [{ rate: 100/s }] }
              - { id: plain, limits: [{ by: [tenant, user], rate: 100/s }, { id: who, by: user, rate: 100/s }] }
              - { id: secret, limits: [{ by: [tenant, user], rate: 100/s, privacy: hash }] }
              - { id: single, limits: [{ by: user, rate: 100/s, privacy: hash }] }
              - { id: either, limits: [{ by: { attribute: user, otherwise: header.x-user }, rate: 100/s, privacy: hash }] }
              - { id: address, limits: [{ by: ip, rate: 100/s }] }
              - { id: acme, match: { tenant: acme }, limits: [{ rate: 100/s }, { id: u, by: user, rate: 9/s }] }
              - id: tried
                limits: [{ rate: 100/s }]
                candidate: [{ by: [user, plan], algorithm: fixed_window, limit: 5, window: 1h, privacy: hash }]
            """;

    private static final Map<String, String> REQUEST =
            Map.of("tenant", "acme", "user", "u&=17", "ip", "192.0.2.7", "plan", "gold", "path", "/");

    private static final KeySettings SETTINGS = new KeySettings(KeySecret.random(), 64, Optional.of("tenant"));

    private static RuleSet rules() {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", RULES)).rules());
    }

    /** Returns the keys of all counts that a request uses. */
    private static Map<String, String> keys(Map<String, String> request) {
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        MatchedRequest matched = MatchedRequest.of(
                rules(), Attributes.of(request), 1, Sides.of(limiter, limiter), SETTINGS.keys(), clock);
        List<BoundLimit> bound = new ArrayList<>(matched.live().limits());
        matched.shadows().forEach(group -> bound.addAll(group.limits()));
        Map<String, String> keys = new HashMap<>();
        for (BoundLimit each : bound) {
            keys.put(
                    each.shadow() ? "candidate" : each.limit().id(),
                    Objects.requireNonNull(each.demand()).key());
        }
        return keys;
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> request = new HashMap<>(REQUEST);
        request.put(name, value);
        return request;
    }

    private static Map<String, String> without(String name) {
        Map<String, String> request = new HashMap<>(REQUEST);
        request.remove(name);
        return request;
    }

    private static List<String> found(SubjectKeys subject, Map<String, String> request) {
        return keys(request).entrySet().stream()
                .filter(each -> subject.matches(each.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static SubjectKeys subject(String attribute, String value, Map<String, String> known) {
        return SubjectKeys.of(attribute, value, known, rules(), SETTINGS);
    }

    @Test
    void findsPlainKeysByTextAndHashedKeysByComputingThem() {
        SubjectKeys user = subject("user", "u&=17", Map.of());
        assertThat(found(user, REQUEST)).containsExactly("acme.u", "either.0", "plain.0", "plain.who", "single.0");
        assertThat(found(user, with("user", "u&=18"))).isEmpty();
        assertThat(found(user, with("user", "u"))).isEmpty();
        assertThat(found(user, with("tenant", "u&=17")))
                .containsExactly("either.0", "plain.0", "plain.who", "single.0");
        assertThat(found(user, Map.of("tenant", "u&=17", "path", "/"))).isEmpty();
    }

    @Test
    void knownAttributesFindKeysUnderAHashOfSeveral() {
        SubjectKeys user = subject("user", "u&=17", Map.of("tenant", "acme", "plan", "gold"));
        assertThat(found(user, REQUEST))
                .containsExactly("acme.u", "candidate", "either.0", "plain.0", "plain.who", "secret.0", "single.0");
        assertThat(found(user, with("tenant", "other")))
                .doesNotContain("secret.0")
                .contains("candidate");
        assertThat(found(user, without("plan"))).contains("secret.0").doesNotContain("candidate");
        assertThat(user.unfound()).isEmpty();
        assertThat(found(user, with("user", "u&=18"))).isEmpty();
    }

    @Test
    void saysWhichCountsItCannotFindAndHowLongTheyStay() {
        assertThat(subject("user", "u&=17", Map.of()).unfound())
                .containsExactly(
                        "counts of plain.0 with a key of more than 200 characters cannot be found, because they are"
                                + " stored under a hash that includes tenant, which is not known; they expire within"
                                + " 2 s",
                        "counts of secret.0 cannot be found, because they are stored under a hash that includes tenant,"
                                + " which is not known; they expire within 2 s",
                        "counts of tried.candidate-0 cannot be found, because they are stored under a hash that includes"
                                + " plan, which is not known; they expire within 120 minutes");
    }

    @Test
    void anAddressIsFoundWhereItStandsInForAMissingAttribute() {
        SubjectKeys address = subject("ip", "192.0.2.7", Map.of("tenant", "acme"));
        assertThat(found(address, REQUEST)).containsExactly("address.0");
        assertThat(keys(without("user"))).containsEntry("plain.who", "user~ip=192.0.2.7");
        assertThat(found(address, without("user")))
                .containsExactly("acme.u", "address.0", "either.0", "plain.0", "plain.who", "secret.0", "single.0");
        Map<String, String> other = new HashMap<>(without("user"));
        other.put("ip", "192.0.2.70");
        assertThat(found(address, other)).isEmpty();
    }

    @Test
    void anIpv6AddressStandsForItsNetwork() {
        SubjectKeys address = subject("ip", "2001:0DB8::1", Map.of());
        assertThat(found(address, with("ip", "2001:db8::2:3"))).containsExactly("address.0");
        assertThat(found(address, with("ip", "2001:db8:0:1::1"))).isEmpty();
        assertThat(address.matches("user~ip=2001:db8::/64")).isTrue();
    }

    @Test
    void aTenantOwnsEverythingBehindItsHashTag() {
        SubjectKeys tenant = subject("tenant", "acme", Map.of());
        assertThat(keys(REQUEST)).containsEntry("acme.0", "{acme}").containsEntry("acme.u", "{acme}user=u!26!3d17");
        assertThat(found(tenant, REQUEST)).containsExactly("acme.0", "acme.u", "plain.0");
        assertThat(found(tenant, with("tenant", "acme2"))).isEmpty();
        assertThat(tenant.matches("")).isFalse();
    }

    @Test
    void aValueOfTheOtherAttributeHasTheSameCount() {
        Map<String, String> request = new HashMap<>(without("user"));
        request.put("header.x-user", "h1");
        SubjectKeys subject = subject("header.X-USER", "h1", Map.of());
        assertThat(found(subject, request)).containsExactly("either.0");
        assertThat(subject.matches("tenant=a&user=h1")).isTrue();
        assertThat(subject.matches("tenant=h1")).isFalse();
    }

    @Test
    void findsLongKeysAndThoseThatEnginesReplaceByTheirDigest() {
        String longName = "ü".repeat(150);
        SubjectKeys subject = subject("user", longName, Map.of("tenant", "acme"));
        String plain = keys(with("user", longName)).get("plain.who");
        assertThat(plain).startsWith("user=ü");
        assertThat(subject.matches(plain)).isTrue();
        assertThat(subject.match().matchesDigest(KeyDigest.of(plain))).isTrue();
        assertThat(subject.match().matchesDigest(KeyDigest.of(plain + "x"))).isFalse();

        String longer = "x".repeat(300);
        SubjectKeys other = subject("user", longer, Map.of("tenant", "acme"));
        assertThat(keys(with("user", longer)))
                .hasEntrySatisfying("plain.who", key -> assertThat(key).startsWith("!l"));
        assertThat(found(other, with("user", longer)))
                .containsExactly("acme.u", "either.0", "plain.0", "plain.who", "secret.0", "single.0");
        assertThat(other.match()
                        .matchesDigest(KeyDigest.of(keys(with("user", longer)).get("acme.u"))))
                .isTrue();
    }

    @Test
    void hashesAreThoseThatOverridesName() {
        SubjectKeys subject = subject("user", "u&=17", Map.of());
        assertThat(subject.hashes()).contains(keys(REQUEST).get("single.0").substring(2));
        assertThat(subject.hashes()).allMatch(hash -> hash.matches("[0-9A-Za-z_-]{43}"));
    }

    @Test
    void textThatIsNotAnAddressIsRefusedBecauseAllSuchCallersShareACount() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> subject("ip", "somewhere", Map.of()))
                .withMessage("ip: not an address (expected: an address such as 192.0.2.7)");
    }

    @Test
    void itsTextFormHidesTheSubject() {
        SubjectKeys subject = subject("user", "u-17", Map.of("tenant", "acme"));
        assertThat(subject + " " + subject.match()).doesNotContain("u-17").doesNotContain("acme");
    }
}
