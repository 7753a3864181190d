package io.sluice.runtime.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the log says about each kind of decision. */
class DecisionEntriesTest {

    private final LoggedTraffic traffic = new LoggedTraffic("""
            rules:
              - { id: login, mode: local, match: { path: /login },
                  limits: [{ by: [tenant, user], algorithm: fixed_window, limit: 2, window: 1s }] }
              - { id: pool, mode: local, match: { path: /pool }, limits: [{ by: user, rate: 50, burst: 100 }] }
              - { id: banned, action: deny, match: { ip: 198.51.100.0/24 } }
              - { id: probes, action: exempt, match: { path: /health } }
              - { id: shut, match: { path: /shut }, on_failure: closed, limits: [{ rate: 5 }] }
              - { id: open, match: { path: /open }, on_failure: open, limits: [{ rate: 5 }] }
              - { id: share, match: { path: /share }, on_failure: local, local_share: 1, limits: [{ rate: 1, burst: 1 }] }
              - { id: tried, mode: local, match: { path: /tried }, shadow: true,
                  limits: [{ algorithm: fixed_window, limit: 0, window: 1m }] }
              - { id: needs, mode: local, match: { path: /needs },
                  limits: [{ by: account, absent: refuse, algorithm: fixed_window, limit: 9, window: 1m }] }
              - { id: hidden, mode: local, match: { path: /hidden },
                  limits: [{ by: card, privacy: hash, algorithm: fixed_window, limit: 9, window: 1m }] }
            """);
    private final DecisionEntries entries = new DecisionEntries(LoggedTraffic.KEYS);
    private final List<DecisionEntry> logged = new ArrayList<>();
    private final RulingListener listener = new RulingListener() {
        @Override
        public void ruled(Ruling.Settled ruling, long elapsedNanos) {}

        @Override
        public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
            logged.add(entries.of(traffic.clock.epochMicros() / 1_000, request, ruling, traffic.rules));
        }
    };

    private DecisionEntry send(String path, String... more) {
        Map<String, String> attributes = new HashMap<>(
                Map.of("path", path, "method", "POST", "service", "shop", "ip", "203.0.113.7", "user", "u-10086"));
        for (int i = 0; i < more.length; i += 2) {
            attributes.put(more[i], more[i + 1]);
        }
        traffic.send(listener, attributes);
        return logged.get(logged.size() - 1);
    }

    @Test
    void aRefusalHasAllFields() {
        send("/login", "tenant", "acme-corp");
        send("/login", "tenant", "acme-corp");
        DecisionEntry entry = send("/login", "tenant", "acme-corp");

        String user = entry.dimensions().get("user").hash();
        String tenant = entry.dimensions().get("tenant").hash();
        String ip = entry.dimensions().get("ip").hash();
        assertThat(List.of(user, tenant, ip)).allMatch(hash -> hash.length() == 43);
        assertThat(entry.toJson())
                .isEqualTo("{\"timestamp\":\"2027-01-02T03:04:05.678Z\",\"request_id\":\"req-1\",\"trace_id\":\""
                        + LoggedTraffic.TRACE
                        + "\",\"service\":\"shop\",\"resource\":\"/login\",\"method\":\"POST\","
                        + "\"dimensions\":{\"ip\":\"203.0.113.*\",\"tenant\":\"a****rp\",\"user\":\"u****86\"},"
                        + "\"hashes\":{\"ip\":\"" + ip + "\",\"tenant\":\"" + tenant + "\",\"user\":\"" + user + "\"},"
                        + "\"rule_id\":\"login\",\"limit_id\":\"login.0\",\"decision\":\"rejected\","
                        + "\"reason\":\"exceeds 2 per 1s\",\"current_count\":2,\"threshold\":2,\"permits\":1,"
                        + "\"mode\":\"local\",\"degraded\":\"\",\"rule_version\":7,"
                        + "\"caller\":\"a****rp,u****86\",\"caller_hash\":\""
                        + entry.caller().orElseThrow().hash() + "\"}");
        assertThat(DecisionEntry.parse(entry.toJson())).isEqualTo(entry);
    }

    @Test
    void anAllowedRequestTellsHowMuchIsUsed() {
        DecisionEntry entry = send("/pool");

        assertThat(entry.outcome()).isEqualTo(Outcome.ALLOWED);
        assertThat(entry.reason()).isEqualTo("within 50/s, burst 100");
        assertThat(entry.current()).isEqualTo(1);
        assertThat(entry.threshold()).isEqualTo(100);
        assertThat(entry.caller().map(CallerMark::masked)).contains("u****86");
    }

    @Test
    void rulesThatDenyOrExemptAreNamed() {
        DecisionEntry denied = send("/x", "ip", "198.51.100.9");
        DecisionEntry exempt = send("/health");

        assertThat(denied.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(denied.reason()).isEqualTo("denied by rule banned");
        assertThat(denied.rule()).isEqualTo("banned");
        assertThat(denied.limit()).isEmpty();
        assertThat(denied.caller().map(CallerMark::masked)).contains("198.51.100.*");
        assertThat(exempt.outcome()).isEqualTo(Outcome.EXEMPT);
        assertThat(exempt.reason()).isEqualTo("exempt by rule probes");
    }

    @Test
    void aRequestThatNoRuleMatchesSaysSo() {
        DecisionEntry entry = send("/elsewhere");

        assertThat(entry.outcome()).isEqualTo(Outcome.ALLOWED);
        assertThat(entry.reason()).isEqualTo("no rule matches");
        assertThat(entry.rule()).isEmpty();
        assertThat(entry.threshold()).isZero();
    }

    @Test
    void withoutTheStoreTheReasonNamesTheFailureAndThePolicy() {
        DecisionEntry closed = send("/shut");
        DecisionEntry open = send("/open");
        send("/share");
        DecisionEntry local = send("/share");

        assertThat(closed.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(closed.reason()).isEqualTo("redis-timeout, policy closed");
        assertThat(closed.degraded()).isEqualTo("redis-timeout");
        assertThat(closed.current()).isZero();
        assertThat(open.outcome()).isEqualTo(Outcome.ALLOWED);
        assertThat(open.reason()).isEqualTo("redis-timeout, policy open");
        assertThat(local.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(local.reason()).isEqualTo("exceeds 1/s (redis-timeout, policy local)");
    }

    @Test
    void aShadowLimitIsNamedAndTheRequestIsAllowed() {
        DecisionEntry entry = send("/tried");

        assertThat(entry.outcome()).isEqualTo(Outcome.ALLOWED);
        assertThat(entry.reason()).endsWith("; would be refused by tried.0 (shadow)");
    }

    @Test
    void aMissingAttributeIsTheReason() {
        DecisionEntry entry = send("/needs");

        assertThat(entry.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(entry.reason()).isEqualTo("lacks an attribute that needs.0 counts by");
        assertThat(entry.current()).isZero();
        assertThat(entry.threshold()).isEqualTo(9);
    }

    @Test
    void noLineHasAPlainValueOfTheCaller() {
        DecisionEntry entry = send("/hidden", "card", "4000-1234");
        assertThat(entry.toJson()).doesNotContain("4000-1234", "u-10086", "203.0.113.7");
        assertThat(entry.dimensions().get("card").masked()).isEmpty();
        assertThat(entry.caller().map(CallerMark::masked)).contains("");

        DecisionEntry inPath = send("/users/u-10086/orders");
        assertThat(inPath.resource()).isEqualTo("/users/u****86/orders");
    }

    /** Whichever limit decided, what any limit counts by is masked in every text. */
    @Test
    void a44AValueThatALimitCountsByIsMaskedWhereverItStands() {
        String phone = "+491701234567";
        for (String path : List.of(
                "/api/orders/" + phone,
                "/api/to" + phone + ".json",
                "/api/%2B491701234567/x",
                "/api/%2b491701234567",
                "/a/" + phone + "/b/" + phone)) {
            DecisionEntry entry = send(path, "account", phone, "method", "GET " + phone, "service", phone + "-service");
            assertThat(entry.toJson()).as(path).doesNotContain("491701234567");
            assertThat(entry.resource()).contains("+****67");
        }
        traffic.send(
                listener,
                Attributes.of(Map.of("path", "/x", "account", phone))
                        .from(new Origin("request-" + phone, LoggedTraffic.TRACE, "", true)));
        assertThat(logged.get(logged.size() - 1).requestId()).isEqualTo("request-+****67");

        assertThat(send("/api/events/eve", "account", "eve").resource()).isEqualTo("/api/events/e****");
        String tail = "/" + "x".repeat(490) + phone;
        assertThat(send(tail, "account", phone).resource()).doesNotContain("4917");
        String endless = "y".repeat(5_000);
        assertThat(send("/" + endless, "account", endless).resource()).isEqualTo("/y****yy");
    }

    @Test
    void aServiceThatSomeRuleHashesIsShownAsAHash() {
        LoggedTraffic hiding = new LoggedTraffic("""
                rules:
                  - { id: a, mode: local,
                      limits: [{ by: service, privacy: hash, algorithm: fixed_window, limit: 9, window: 1m }] }
                """);
        hiding.send(
                new RulingListener() {
                    @Override
                    public void ruled(Ruling.Settled ruling, long elapsedNanos) {}

                    @Override
                    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
                        logged.add(entries.of(1, request, ruling, hiding.rules));
                    }
                },
                Map.of("service", "secret"));
        assertThat(logged.get(0).toJson()).doesNotContain("secret");
        assertThat(logged.get(0).service()).startsWith("#").hasSize(9);
    }

    @Test
    void hostileAttributesGiveOneShortValidLine() {
        String evil = "\n\r\u0000\u2028\"\\\ud800,{}\u001b[31m".repeat(5_000);
        for (String name : List.of("user", "tenant", "service", "method", "account")) {
            DecisionEntry entry = send("/needs", name, evil);
            assertThat(entry.toJson()).doesNotContain("\n", "\r").hasSizeLessThan(DecisionEntry.MOST_CHARACTERS);
            assertThat(DecisionEntry.parse(entry.toJson()).rule()).isEqualTo("needs");
        }
        Map<String, String> all = new HashMap<>();
        for (String name : List.of("user", "tenant", "service", "method", "account")) {
            all.put(name, evil);
        }
        all.put("path", "/needs");
        traffic.send(listener, Attributes.of(all).from(new Origin(evil, LoggedTraffic.TRACE, "", true)));
        DecisionEntry entry = logged.get(logged.size() - 1);
        assertThat(entry.toJson()).doesNotContain("\n", "\r").hasSizeLessThan(DecisionEntry.MOST_CHARACTERS);
        assertThat(DecisionEntry.list(DecisionEntry.toBytes(List.of(entry)))).hasSize(1);
        assertThat(Optional.of(DecisionEntry.parse(entry.toJson()).requestId())).contains(entry.requestId());
    }
}
