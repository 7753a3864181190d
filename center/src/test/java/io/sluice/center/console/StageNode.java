package io.sluice.center.console;

import io.sluice.center.ApiClient;
import io.sluice.center.series.SeriesHistory;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.SecondCounts;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeData;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.WitnessReport;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process of the fleet that reports what the stage tells it to. Used by one thread at a time. */
final class StageNode {

    private final ApiClient api;
    private final String id;
    private final NodeReport.Kind kind;
    private final String name;
    private final long startedMillis;
    private final DataOutbox outbox = DataOutbox.acknowledged();

    private long beat;
    private long version;
    private String digest = "";
    private long appliedMillis;
    private Optional<NodeReport.Refusal> refused = Optional.empty();
    private NodeReport.Mode mode = NodeReport.Mode.REMOTE;
    private NodeReport.Breaker breaker = NodeReport.Breaker.CLOSED;
    private List<String> findings = List.of();
    private long adjustments;
    private Tally tally = Tally.NONE;
    private Optional<TrialReport> trial = Optional.empty();
    private boolean isWitness = true;
    private boolean records = true;
    private Optional<WitnessReport> witness = Optional.empty();
    private List<CallerAnswer> answers = List.of();

    StageNode(ApiClient api, String id, NodeReport.Kind kind, String name, long startedMillis) {
        this.api = api;
        this.id = id;
        this.kind = kind;
        this.name = name;
        this.startedMillis = startedMillis;
    }

    static String digest(ApiClient api, long version) {
        return api.get("/api/versions/" + version)
                .expect(200)
                .json()
                .at("/version/digest")
                .asString();
    }

    String id() {
        return id;
    }

    StageNode runs(long other, String itsDigest, long sinceMillis) {
        version = other;
        digest = itsDigest;
        appliedMillis = sinceMillis;
        return this;
    }

    long version() {
        return version;
    }

    StageNode refuses(long other, String itsDigest, String... errors) {
        refused = Optional.of(new NodeReport.Refusal(other, itsDigest, List.of(errors)));
        return this;
    }

    /** Forgets a refusal. */
    StageNode accepts() {
        refused = Optional.empty();
        return this;
    }

    StageNode decides(NodeReport.Mode how, NodeReport.Breaker state, String... problems) {
        mode = how;
        breaker = state;
        findings = List.of(problems);
        return this;
    }

    StageNode adjusted(long revision) {
        adjustments = revision;
        return this;
    }

    StageNode witnesses(boolean wanted) {
        isWitness = wanted;
        return this;
    }

    StageNode records(boolean wanted) {
        records = wanted;
        return this;
    }

    /** Counts callers that try a version. Each group of callers gets the same. */
    StageNode tries(long other, String itsDigest, int share, Tally onTrial, Tally control) {
        trial = Optional.of(new TrialReport(
                other,
                itsDigest,
                share,
                false,
                Collections.nCopies(CallerSplit.GROUPS, onTrial),
                Collections.nCopies(CallerSplit.GROUPS, control)));
        return this;
    }

    StageNode triesNothing() {
        trial = Optional.empty();
        return this;
    }

    void counted(long second, Map<String, Figures> rules) {
        Figures all = rules.values().stream().reduce(Figures.NONE, Figures::plus);
        boolean isDegraded = mode != NodeReport.Mode.REMOTE;
        outbox.add(
                DataBatch.Kind.COUNTS,
                new SecondCounts(second, isDegraded ? degraded(rules) : rules, SeriesHistory.latencies(all.requests()))
                        .toBytes());
        tally = tally.plus(new Tally(
                all.requests(),
                all.refused(),
                isDegraded ? all.requests() : 0,
                all.allowed(),
                all.allowed() / 400,
                all.allowed() * 21_000));
    }

    private static Map<String, Figures> degraded(Map<String, Figures> rules) {
        Map<String, Figures> figures = new java.util.HashMap<>();
        rules.forEach((rule, each) ->
                figures.put(rule, new Figures(each.allowed(), each.refused(), each.shadowRefused(), each.requests())));
        return figures;
    }

    void decided(List<DecisionEntry> decisions) {
        if (!decisions.isEmpty()) {
            outbox.add(DataBatch.Kind.DECISIONS, DecisionEntry.toBytes(decisions));
        }
    }

    void refusedCallers(byte[] minute) {
        outbox.add(DataBatch.Kind.CALLERS, minute);
    }

    /** Reports until the center has everything, also the answers to its questions: it does not wait long for them. */
    void report(long nowMillis) {
        do {
            NodeReport report = new NodeReport(
                    new NodeIdentity(id, kind, name, "0.1.0", startedMillis),
                    ++beat,
                    new RulesInForce(version, digest, appliedMillis, refused, true, adjustments),
                    new NodeHealth(mode, breaker, findings, Optional.of(health(nowMillis))),
                    new NodeAnswers(witness, List.of(), answers, true, records && kind == NodeReport.Kind.NODE),
                    new NodeData(tally, trial, Optional.of(outbox.report(nowMillis))));
            Fleet fleet = Fleet.parse(api.post("/api/nodes/" + id + "/heartbeat", report.toJson())
                    .expect(200)
                    .text());
            fleet.stored().ifPresent(outbox::stored);
            answers = fleet.questions().stream()
                    .map(each -> new CallerAnswer(each.id(), answer(each)))
                    .toList();
            // An answer may come too late, which a node does not mind.
            fleet.excerpts()
                    .forEach(each -> api.post(
                            "/api/nodes/" + id + "/excerpts/" + each.id(),
                            "application/gzip",
                            ShopRecording.excerpt(id, each.sinceMicros(), nowMillis * 1_000)));
            if (isWitness) {
                fleet.audit().ifPresent(offer -> witness = Optional.of(held(offer.checkpoint())));
            }
        } while (outbox.hasMore() || !answers.isEmpty());
    }

    private LimiterHealth health(long nowMillis) {
        boolean isWell = mode == NodeReport.Mode.REMOTE;
        StoreHealth store = isWell
                ? new StoreHealth(
                        StoreHealth.Kind.REDIS,
                        380 + Math.floorMod(id.hashCode(), 90),
                        1_900 + beat % 700,
                        4_200,
                        0,
                        nowMillis)
                : new StoreHealth(StoreHealth.Kind.REDIS, 0, 0, 12, 12, nowMillis);
        long modeSince = isWell ? startedMillis : Math.max(startedMillis, nowMillis - 11 * 60_000);
        return new LimiterHealth(modeSince, store, new LimiterHealth.OnFailure(3, 18, 3));
    }

    private static WitnessReport held(Checkpoint one) {
        return new WitnessReport(one.log(), one.size(), one.root(), one.atMillis(), one.key(), Optional.empty());
    }

    private static Optional<String> answer(CallerQuestion question) {
        return switch (question.kind()) {
            case REVEAL -> ShopCallers.revealed(question.hash());
            case EXPLAIN -> ShopCallers.explained(question.hash());
            case REQUEST -> Optional.of(ShopCallers.explained(question.request()));
        };
    }
}
