package io.sluice.center.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.dryrun.ExcerptQuestions.Answer;
import io.sluice.center.dryrun.ExcerptQuestions.Answers;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.recording.ExcerptQuestion;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who is asked for recorded requests, and for how long. */
class ExcerptQuestionsTest {

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final LiveNodes nodes = new LiveNodes(clock);
    private final ExcerptQuestions questions = new ExcerptQuestions(nodes, clock);
    private long beat;

    @Test
    void onlyNodesThatRecordAreAskedAndOnce() {
        assertThat(reports("n1", true)).isEmpty();
        assertThat(reports("blind", false)).isEmpty();
        CompletableFuture<Answers> answers = questions.ask(1).orElseThrow();
        assertThat(questions.ask(1)).isEmpty();
        assertThat(reports("blind", false)).isEmpty();
        ExcerptQuestion question = reports("n1", true).get(0);
        assertThat(questions.answered("blind", question.id(), new byte[1])).isFalse();
        assertThat(questions.answered("n1", question.id(), new byte[question.mostBytes() + 1]))
                .isFalse();
        assertThat(answers).isNotDone();
        assertThat(questions.answered("n1", question.id(), new byte[1])).isTrue();
        assertThat(answers.join().given()).extracting(Answer::node).containsExactly("n1");
        assertThat(answers.join().others()).isEqualTo(1);
        assertThat(questions.answered("n1", question.id(), new byte[1])).isFalse();
        assertThat(reports("n1", true)).isEmpty();
    }

    @Test
    void aNodeThatDoesNotAnswerIsWaitedForNotForever() {
        assertThat(reports("n1", true)).isEmpty();
        CompletableFuture<Answers> answers = questions.ask(1).orElseThrow();
        for (int second = 1; second < 15; second++) {
            step("n1");
            assertThat(answers).as("after %s seconds", second).isNotDone();
        }
        step("n1");
        assertThat(answers.join().missing()).containsExactly("n1");
        assertThat(questions.ask(1)).isPresent();
    }

    @Test
    void aNodeThatIsGoneIsNotWaitedFor() {
        assertThat(reports("n1", true)).isEmpty();
        assertThat(reports("n2", true)).isEmpty();
        CompletableFuture<Answers> answers = questions.ask(1).orElseThrow();
        ExcerptQuestion question = reports("n2", true).get(0);
        assertThat(questions.answered("n2", question.id(), new byte[1])).isTrue();
        for (int second = 0; second < 7; second++) {
            step("n2");
        }
        assertThat(answers.join().missing()).containsExactly("n1");
        assertThat(answers.join().given()).hasSize(1);
    }

    @Test
    void nodesShareTheRoomAndTooManyAreNotAsked() {
        for (int i = 0; i < ExcerptQuestions.MOST_NODES + 2; i++) {
            assertThat(reports("n%03d".formatted(i), true)).isEmpty();
        }
        CompletableFuture<Answers> answers = questions.ask(1).orElseThrow();
        for (int i = 0; i < ExcerptQuestions.MOST_NODES; i++) {
            String node = "n%03d".formatted(i);
            ExcerptQuestion question = reports(node, true).get(0);
            assertThat(question.mostBytes() * ExcerptQuestions.MOST_NODES).isEqualTo(ExcerptQuestions.MOST_BYTES);
            assertThat(questions.answered(node, question.id(), new byte[1])).isTrue();
        }
        assertThat(answers.join().given()).hasSize(ExcerptQuestions.MOST_NODES);
        assertThat(answers.join().missing()).containsExactly("n128", "n129");
    }

    @Test
    void withoutNodesThatRecordThereIsNothingToWaitFor() {
        assertThat(reports("blind", false)).isEmpty();
        Answers answers = questions.ask(1).orElseThrow().join();
        assertThat(answers.given()).isEmpty();
        assertThat(answers.others()).isEqualTo(1);
    }

    /** Lets a second pass, in which the center is awake and a node lives. */
    private void step(String node) {
        clock.advance(Duration.ofSeconds(1));
        nodes.attend();
        List<ExcerptQuestion> unused = reports(node, true);
        questions.turn();
    }

    private List<ExcerptQuestion> reports(String node, boolean records) {
        NodeReport report = new NodeReport(
                new NodeIdentity(node, NodeReport.Kind.NODE, node, "test", 1),
                ++beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
        NodeReport told = records ? report.answering(NodeAnswers::recording) : report;
        assertThat(nodes.report(told, NodeState.Way.HTTP)).isTrue();
        return questions.heard(told);
    }
}
