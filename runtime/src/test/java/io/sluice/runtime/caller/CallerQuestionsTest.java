package io.sluice.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.caller.CallerQuestion.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class CallerQuestionsTest {

    private static final Ruling.Settled REFUSAL = new Ruling.Settled(
            false, Action.LIMIT, null, null, Optional.of(Duration.ZERO), "local", 1, List.of(), List.of(), 1);

    private final KeySettings keys = KeySettings.ofThisProcess();
    private final RefusedCallers refused =
            new RefusedCallers(DataOutbox.acknowledged(), RuleSet::none, keys, QuietClock.at(1));
    private final List<CompletableFuture<Explanation>> asked = new ArrayList<>();
    private final CallerQuestions questions = new CallerQuestions();
    private final String hash = hash("alice");

    @BeforeEach
    void start() {
        refused.start();
        refused.ruled(Attributes.of(Map.of("user", "alice", "path", "/a")), REFUSAL, 1);
    }

    @AfterEach
    void close() {
        refused.close();
    }

    @Test
    void answersAsLongAsItIsAskedAndForgetsRightAfter() {
        over();
        CallerQuestion question = new CallerQuestion(1, hash, Kind.REVEAL);
        for (int i = 0; i < 3; i++) {
            questions.offered(List.of(question));
            assertThat(questions.answers())
                    .containsExactly(
                            new CallerAnswer(1, Optional.of("{\"attributes\":{\"user\":\"alice\"},\"hidden\":[]}")));
        }
        assertThat(questions.answers().toString()).doesNotContain("alice");
        questions.offered(List.of());
        assertThat(questions.answers()).isEmpty();
    }

    @Test
    void aCallerThatIsNotKnownIsAnAnswerToo() {
        over();
        questions.offered(List.of(
                new CallerQuestion(1, hash("bob"), Kind.REVEAL), new CallerQuestion(2, "\u0000", Kind.EXPLAIN)));
        assertThat(questions.answers())
                .containsExactly(new CallerAnswer(1, Optional.empty()), new CallerAnswer(2, Optional.empty()));
    }

    @Test
    void waitsUntilThereIsSomethingToAnswerWith() {
        CallerQuestion question = new CallerQuestion(1, hash, Kind.REVEAL);
        questions.offered(List.of(question));
        assertThat(questions.answers()).isEmpty();
        over();
        questions.offered(List.of(question));
        assertThat(questions.answers()).hasSize(1);
    }

    @Test
    void anExplanationComesWhenItIsThereAndIsTriedAgainIfItFails() {
        over();
        CallerQuestion question = new CallerQuestion(1, hash, Kind.EXPLAIN);
        questions.offered(List.of(question));
        questions.offered(List.of(question));
        assertThat(asked).hasSize(1);
        assertThat(questions.answers()).isEmpty();
        asked.get(0).completeExceptionally(new IllegalStateException("store"));
        questions.offered(List.of(question));
        assertThat(asked).hasSize(2);
        asked.get(1).complete(new Explanation(REFUSAL, List.of()));
        assertThat(questions.answers()).containsExactly(new CallerAnswer(1, Optional.of("explained")));
    }

    @Test
    void aRequestIsExplainedWhetherItsCallerIsKnownOrNot() {
        over();
        CallerQuestion question = CallerQuestion.about(1, Map.of("user", "nobody", "path", "/b"));
        questions.offered(List.of(question));
        asked.get(0).complete(new Explanation(REFUSAL, List.of()));
        assertThat(questions.answers()).containsExactly(new CallerAnswer(1, Optional.of("explained")));
        assertThat(question.toString()).doesNotContain("nobody");
    }

    @Test
    void aRequestThatNoRuleCanReadHasNoAnswer() {
        over();
        questions.offered(List.of(CallerQuestion.about(1, Map.of("path", "a/../b"))));
        assertThat(questions.answers()).containsExactly(new CallerAnswer(1, Optional.empty()));
        assertThat(asked).isEmpty();
    }

    /** An answer that comes after the center has given up is dropped. */
    @Test
    void anExplanationThatNobodyWaitsForIsForgotten() {
        over();
        questions.offered(List.of(new CallerQuestion(1, hash, Kind.EXPLAIN)));
        questions.offered(List.of());
        asked.get(0).complete(new Explanation(REFUSAL, List.of()));
        assertThat(questions.answers()).isEmpty();
    }

    @Test
    void aCenterThatAsksTooMuchGetsTheFirstAnswers() {
        over();
        List<CallerQuestion> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(new CallerQuestion(i, hash, Kind.REVEAL));
        }
        questions.offered(many);
        assertThat(questions.answers()).hasSize(CallerQuestions.MOST);
        questions.offered(many.subList(5_000, 5_010));
        assertThat(questions.answers()).hasSize(10).allMatch(each -> each.id() >= 5_000);
    }

    @Test
    void aProcessThatRemembersNobodyExplainsRequests() {
        over(Optional.empty());
        questions.offered(
                List.of(new CallerQuestion(1, hash, Kind.REVEAL), CallerQuestion.about(2, Map.of("path", "/b"))));
        asked.get(0).complete(new Explanation(REFUSAL, List.of()));
        assertThat(questions.answers())
                .containsExactly(new CallerAnswer(1, Optional.empty()), new CallerAnswer(2, Optional.of("explained")));
    }

    @Test
    void isReadyFromTheMomentItAnswers() {
        assertThat(questions.isReady()).isFalse();
        over();
        assertThat(questions.isReady()).isTrue();
    }

    private void over() {
        over(Optional.of(refused));
    }

    private void over(Optional<RefusedCallers> callers) {
        questions.over(
                callers,
                keys,
                RuleSet::none,
                request -> {
                    CompletableFuture<Explanation> next = new CompletableFuture<>();
                    asked.add(next);
                    return next;
                },
                explanation -> Optional.of("explained"));
    }

    private String hash(String user) {
        return new CallerMarks(keys)
                .of(RuleSet.none(), "user", Attributes.of(Map.of("user", user)))
                .orElseThrow()
                .hash();
    }
}
