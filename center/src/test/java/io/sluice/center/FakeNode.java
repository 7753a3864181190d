package io.sluice.center;

import io.sluice.center.ApiClient.Answer;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeData;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import io.sluice.runtime.witness.WitnessReport;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** A node that reports what a test tells it to. */
final class FakeNode {

    static final Tally NOTHING = Tally.NONE;

    private final ApiClient api;
    private final String id;
    private final Map<Long, String> digests = new HashMap<>();
    private long beat;
    private long started = 1;
    private long adjustments;
    private Tally tally = Tally.NONE;
    private Optional<TrialReport> trial = Optional.empty();
    private List<ErasureResult> erased = List.of();
    private Optional<WitnessReport> witness = Optional.empty();
    private Optional<DataReport> data = Optional.empty();
    private List<CallerAnswer> answers = List.of();
    private Optional<LimiterHealth> health = Optional.empty();
    private boolean explains = true;
    private boolean records;
    private NodeReport.Mode mode = NodeReport.Mode.REMOTE;
    private NodeReport.Breaker breaker = NodeReport.Breaker.CLOSED;

    FakeNode(ApiClient api, String id) {
        this.api = api;
        this.id = id;
    }

    /** Reports that it runs the rules of a version that the center has. Returns what it learns. */
    Fleet runs(long version) {
        return report(version, digest(version), Optional.empty());
    }

    /** Returns the digest of a version, which never changes, so the center is asked once. */
    private String digest(long version) {
        return version == 0
                ? ""
                : digests.computeIfAbsent(version, number -> api.get("/api/versions/" + number)
                        .expect(200)
                        .json()
                        .at("/version/digest")
                        .asString());
    }

    /** From now on it reports that it has a revision of the adjustments. */
    FakeNode adjusted(long revision) {
        adjustments = revision;
        return this;
    }

    /** From now on it reports what it counted. */
    FakeNode counted(Tally all) {
        tally = all;
        return this;
    }

    /** From now on it reports that its callers try a version, with the same counts in each group. */
    FakeNode tries(long version, Tally onTrial, Tally control) {
        trial = Optional.of(new TrialReport(
                version,
                digest(version),
                Collections.nCopies(CallerSplit.GROUPS, onTrial),
                Collections.nCopies(CallerSplit.GROUPS, control)));
        return this;
    }

    /** From now on it reports that both sides of a trial are only counted. */
    FakeNode watches(long version, int share, Tally onTrial, Tally control) {
        trial = Optional.of(new TrialReport(
                version,
                digest(version),
                share,
                true,
                Collections.nCopies(CallerSplit.GROUPS, onTrial),
                Collections.nCopies(CallerSplit.GROUPS, control)));
        return this;
    }

    /** From now on it reports what came of orders to erase. */
    FakeNode erased(ErasureResult... results) {
        erased = List.of(results);
        return this;
    }

    /** From now on it reports what it holds of the audit log. */
    FakeNode witnesses(WitnessReport held) {
        witness = Optional.of(held);
        return this;
    }

    /** From now on it reports data about its traffic. */
    FakeNode sends(DataReport report) {
        data = Optional.of(report);
        return this;
    }

    /** From now on it reports answers to questions about callers. */
    FakeNode answers(CallerAnswer... given) {
        answers = List.of(given);
        return this;
    }

    /** Sends a request, and answers the questions that come of it. */
    Answer answering(Supplier<Answer> request, Function<CallerQuestion, Optional<String>> content) {
        CompletableFuture<Answer> sent = CompletableFuture.supplyAsync(request);
        while (!sent.isDone()) {
            answers(keepsItsOwn().questions().stream()
                    .map(each -> new CallerAnswer(each.id(), content.apply(each)))
                    .toArray(CallerAnswer[]::new));
        }
        return sent.join();
    }

    /** From now on it is like a node of an older version, which does not know questions about requests. */
    FakeNode explainsNothing() {
        explains = false;
        return this;
    }

    /** From now on it says that it records requests. */
    FakeNode records() {
        records = true;
        return this;
    }

    /** From now on it says that it records nothing. */
    FakeNode recordsNothing() {
        records = false;
        return this;
    }

    /** Sends an excerpt of its recording, as the answer to a question. */
    Answer sends(long question, byte[] excerpt) {
        return api.post("/api/nodes/" + id + "/excerpts/" + question, "application/gzip", excerpt);
    }

    FakeNode triesNothing() {
        trial = Optional.empty();
        return this;
    }

    /** From now on it reports how it decides. */
    FakeNode decides(NodeReport.Mode how, NodeReport.Breaker state) {
        mode = how;
        breaker = state;
        return this;
    }

    /** From now on it reports the health of its limiter. */
    FakeNode feels(LimiterHealth measured) {
        health = Optional.of(measured);
        return this;
    }

    /** It starts again and counts from zero. */
    FakeNode restarts() {
        started++;
        beat = 0;
        return this;
    }

    /** Reports that it still runs one version, because it refused another. */
    Fleet refuses(long running, long refused, String error) {
        return report(
                running,
                digest(running),
                Optional.of(new NodeReport.Refusal(refused, digest(refused), List.of(error))));
    }

    /** Sends the last report again, as a network that repeats messages would. */
    void repeats() {
        beat--;
        runs(1);
    }

    /** Reports that its rules come from a file. */
    Fleet keepsItsOwn() {
        return report(1, "a".repeat(64), Optional.empty(), false);
    }

    Fleet report(long version, String digest, Optional<NodeReport.Refusal> refusal) {
        return report(version, digest, refusal, true);
    }

    private Fleet report(long version, String digest, Optional<NodeReport.Refusal> refusal, boolean follows) {
        NodeReport report = new NodeReport(
                new NodeIdentity(id, NodeReport.Kind.NODE, id + ":8080", "test", started),
                ++beat,
                new RulesInForce(version, digest, version == 0 ? 0 : 1_000, refusal, follows, adjustments),
                new NodeHealth(mode, breaker, List.of(), health),
                new NodeAnswers(witness, erased, answers, explains, records),
                new NodeData(tally, trial, data));
        Answer answer =
                api.post("/api/nodes/" + id + "/heartbeat", report.toJson()).expect(200);
        return Fleet.parse(answer.text());
    }
}
