package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.SilencedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class PublishedRulesTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(PublishedRules.class);

    private static final List<DocumentError> ERRORS = List.of(DocumentError.of("f", "wrong"));

    private final PublishedRules rules = new PublishedRules();
    private final HeardRules heard = new HeardRules();

    @Test
    void noSetYetIsVersionZeroAndAFirstThatIsNotDone() {
        rules.listen(heard);
        rules.refuse(ERRORS);

        assertThat(rules.latest().version()).isZero();
        assertThat(rules.first().toCompletableFuture()).isNotDone();
        assertThat(rules.refused()).isEqualTo(ERRORS);
        assertThat(heard.versions).isEmpty();
        assertThat(heard.errors).hasSize(1);
    }

    @Test
    void theFirstSetCompletesFirstAndEndsTheRefusal() {
        CompletableFuture<RuleSet> first = rules.first().toCompletableFuture();
        rules.refuse(ERRORS);
        RuleSet set = set(1);

        rules.publish(set);
        rules.publish(set(2));

        assertThat(first).isCompletedWithValue(set);
        assertThat(rules.refused()).isEmpty();
        assertThat(rules.latest().version()).isEqualTo(2);
    }

    @Test
    void aLateListenerReceivesTheCurrentState() {
        rules.publish(set(1));
        rules.publish(set(2));
        rules.refuse(ERRORS);

        rules.listen(heard);

        assertThat(heard.versions).containsExactly(2L);
        assertThat(heard.errors).hasSize(1);
    }

    @Test
    void aClearedRefusalIsNotReportedAgain() {
        rules.publish(set(1));
        rules.refuse(ERRORS);
        rules.settle();

        rules.listen(heard);

        assertThat(rules.refused()).isEmpty();
        assertThat(heard.versions).containsExactly(1L);
        assertThat(heard.errors).isEmpty();
    }

    @Test
    void aListenerThatThrowsDoesNotAffectTheOthers() {
        rules.listen(new RuleListener() {
            @Override
            public void changed(RuleSet set) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void refused(List<DocumentError> errors) {
                throw new IllegalStateException("on purpose");
            }
        });
        rules.listen(heard);

        rules.publish(set(1));
        rules.refuse(ERRORS);

        assertThat(heard.versions).containsExactly(1L);
        assertThat(heard.errors).hasSize(1);
    }

    @Test
    void notifiesNoListenerAfterClose() {
        rules.publish(set(1));
        rules.listen(heard);

        rules.close();
        rules.publish(set(2));
        rules.refuse(ERRORS);
        rules.listen(heard);

        assertThat(rules.latest().version()).isEqualTo(1);
        assertThat(heard.versions).containsExactly(1L);
        assertThat(heard.errors).isEmpty();
    }

    @Test
    void closingEndsTheWaitForAFirstSet() {
        CompletableFuture<RuleSet> first = rules.first().toCompletableFuture();

        rules.close();

        assertThat(first).isCompletedExceptionally();
    }

    @Test
    void usersCannotCompleteFirstThemselves() {
        rules.first().toCompletableFuture().complete(set(7));

        assertThat(rules.first().toCompletableFuture()).isNotDone();
    }

    @Test
    void listenersAddedDuringChangesReceiveEveryLaterSetInOrder() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        List<HeardRules> all = new ArrayList<>();
        try {
            Future<?> publishing = threads.submit(() -> {
                for (int version = 1; version <= 500; version++) {
                    rules.publish(set(version));
                }
            });
            for (int i = 0; i < 100; i++) {
                HeardRules late = new HeardRules();
                rules.listen(late);
                all.add(late);
            }
            publishing.get();
        } finally {
            threads.shutdownNow();
        }
        for (HeardRules late : all) {
            long begin = late.versions.isEmpty() ? 501 : late.versions.get(0);
            List<Long> expected = new ArrayList<>();
            for (long version = begin; version <= 500; version++) {
                expected.add(version);
            }
            assertThat(late.versions).isEqualTo(expected);
        }
    }

    @Test
    void aFixedSourceHasItsSetAtOnce() {
        RuleSource source = RuleSource.fixed(set(3));
        source.listen(heard);

        assertThat(source.hasRules()).isTrue();
        assertThat(source.first().toCompletableFuture()).isCompletedWithValue(source.latest());
        assertThat(source.latest().version()).isEqualTo(3);
        assertThat(source.refused()).isEmpty();
        assertThat(heard.versions).containsExactly(3L);
        source.close();
    }

    private static RuleSet set(long version) {
        return RuleSet.none().numbered(version);
    }
}
