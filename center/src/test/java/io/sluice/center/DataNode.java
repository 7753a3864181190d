package io.sluice.center;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node that sends the decisions and counts that a test tells it to. */
final class DataNode {

    private final ApiClient api;
    private final String id;
    private final DataOutbox outbox = DataOutbox.acknowledged();
    private NodeReport.Mode mode = NodeReport.Mode.REMOTE;
    private long beat;

    DataNode(ApiClient api, String id) {
        this.api = api;
        this.id = id;
    }

    /** Returns a decision about a caller. Each text of it says which one it is. */
    static DecisionEntry decision(long atMillis, String request, String rule, Outcome outcome) {
        return new DecisionEntry(
                atMillis,
                request,
                "trace-" + request,
                "shop",
                "/path/" + request,
                "GET",
                Map.of("user", new CallerMark("u****" + request, hash("user" + request))),
                rule,
                rule.isEmpty() ? "" : rule + ".0",
                outcome,
                "reason of " + request,
                3,
                5,
                1,
                "remote",
                "",
                1,
                Optional.of(new CallerMark("203.0.113." + request, hash(request))));
    }

    static String hash(String text) {
        return (text + "-".repeat(43)).substring(0, 43);
    }

    DataNode decided(DecisionEntry... decisions) {
        outbox.add(Kind.DECISIONS, DecisionEntry.toBytes(List.of(decisions)));
        return this;
    }

    DataNode counted(long second, Map<String, Figures> rules) {
        outbox.add(Kind.COUNTS, new SecondCounts(second, rules, Latencies.of(new long[Latencies.SPANS])).toBytes());
        return this;
    }

    DataNode in(NodeReport.Mode other) {
        mode = other;
        return this;
    }

    /** Reports until the center has everything. Its clock is ahead of that of the center, or behind it. */
    DataNode report(long nowMillis) {
        do {
            NodeReport report = new NodeReport(
                            new NodeIdentity(id, NodeReport.Kind.NODE, id + ":8080", "test", 1),
                            ++beat,
                            RulesInForce.of(0, "", 0),
                            NodeHealth.of(mode, NodeReport.Breaker.CLOSED))
                    .with(outbox.report(nowMillis));
            Fleet fleet = Fleet.parse(api.post("/api/nodes/" + id + "/heartbeat", report.toJson())
                    .expect(200)
                    .text());
            fleet.stored().ifPresent(outbox::stored);
        } while (outbox.hasMore());
        return this;
    }

    DataNode report() {
        return report(Instant.now().toEpochMilli());
    }
}
