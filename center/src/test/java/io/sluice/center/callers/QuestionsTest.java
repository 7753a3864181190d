package io.sluice.center.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.caller.CallerQuestion.Kind;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.QuietClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class QuestionsTest {

    private static final Map<String, String> REQUEST = Map.of("path", "/a");

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final LiveNodes nodes = new LiveNodes(clock);
    private final Questions questions = new Questions(nodes, clock);
    private long beat;

    @Test
    void questionsAboutRequestsAndCallersAreCountedApart() {
        var unused = reports("n1", true);
        for (int i = 0; i < Questions.MOST_REQUESTS; i++) {
            assertThat(questions.ask(REQUEST)).isPresent();
        }
        assertThat(questions.ask(REQUEST)).isEmpty();
        for (int i = 0; i < Questions.MOST; i++) {
            assertThat(questions.ask("h", Kind.EXPLAIN)).isPresent();
        }
        assertThat(questions.ask("h", Kind.REVEAL)).isEmpty();
        assertThat(reports("n1", true)).hasSize(Questions.MOST_REQUESTS + Questions.MOST);
    }

    @Test
    void aNodeThatExplainsNoRequestsIsNeitherAskedNorWaitedFor() {
        var unused = reports("old", false);
        assertThat(questions.ask(REQUEST).orElseThrow()).isCompletedWithValue(Optional.empty());
        assertThat(questions.ask("h", Kind.EXPLAIN).orElseThrow()).isNotDone();
        assertThat(reports("old", false)).extracting(CallerQuestion::kind).containsExactly(Kind.EXPLAIN);
    }

    @Test
    void aRequestIsGivenUpWhenAllNodesThatExplainHaveNoAnswer() {
        var unused = reports("old", false);
        var asked = reports("new", true);
        assertThat(asked).isEmpty();
        CompletableFuture<Optional<Questions.Told>> answer =
                questions.ask(REQUEST).orElseThrow();
        CallerQuestion question = reports("new", true).get(0);
        assertThat(answer).isNotDone();
        NodeReport report = report("new", true)
                .answering(all -> all.withCallers(List.of(new CallerAnswer(question.id(), Optional.empty()))));
        assertThat(nodes.report(report, NodeState.Way.HTTP)).isTrue();
        assertThat(questions.heard(report)).isEmpty();
        assertThat(answer).isCompletedWithValue(Optional.empty());
    }

    @Test
    void theLengthOfARequestIsThatOfItsMessage() {
        assertThat(Questions.isShort(Map.of("a", "x".repeat(7_000)))).isTrue();
        assertThat(Questions.isShort(Map.of("a", "\u0001".repeat(7_000)))).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> questions.ask(Map.of("a", "\"".repeat(4_000))));
    }

    private List<CallerQuestion> reports(String node, boolean explains) {
        NodeReport report = report(node, explains);
        assertThat(nodes.report(report, NodeState.Way.HTTP)).isTrue();
        return questions.heard(report);
    }

    private NodeReport report(String node, boolean explains) {
        NodeReport report = new NodeReport(
                new NodeIdentity(node, NodeReport.Kind.NODE, node, "test", 1),
                ++beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
        return explains ? report.answering(NodeAnswers::explaining) : report;
    }
}
