package io.sluice.runtime.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.fleet.ExcerptPart;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a process answers questions for recorded requests. */
@Timeout(300)
class ExcerptsTest {

    private static final ExcerptQuestion QUESTION =
            new ExcerptQuestion(7, 1_800_000_000_000_000L, ExcerptQuestion.MOST_BYTES);

    private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

    @Test
    void answersOnceWithoutMakingReportsWait() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        try (Excerpts excerpts = new Excerpts((node, question, excerpt) -> sent.add(node + " " + question))) {
            ExcerptPart part = new ExcerptPart(excerpts);
            part.heard(new Fleet(1, 1, "", 1).withExcerpts(List.of(QUESTION)));
            assertThat(excerpts.isReady()).isFalse();
            excerpts.over("n1", question -> {
                await(reading);
                return new byte[] {1};
            });
            // The source waits until all of these have returned.
            part.heard(new Fleet(1, 1, "", 1).withExcerpts(List.of(QUESTION)));
            part.heard(new Fleet(1, 1, "", 1).withExcerpts(List.of(QUESTION)));
            reading.countDown();
            assertThat(sent.poll(1, TimeUnit.MINUTES)).isEqualTo("n1 7");
            part.heard(new Fleet(1, 1, "", 1).withExcerpts(List.of(QUESTION)));
            part.heard(new Fleet(1, 1, "", 1)
                    .withExcerpts(List.of(QUESTION, new ExcerptQuestion(8, 0, ExcerptQuestion.LEAST_BYTES))));
            assertThat(sent.poll(1, TimeUnit.MINUTES)).isEqualTo("n1 8");
        }
    }

    @Test
    void whatTheCenterDidNotTakeIsSentAgainAndNotReadAgain() {
        AtomicInteger read = new AtomicInteger();
        AtomicInteger tried = new AtomicInteger();
        try (Excerpts excerpts = new Excerpts((node, question, excerpt) -> {
            if (tried.incrementAndGet() < 3) {
                throw new IOException("busy");
            }
            sent.add("taken");
        })) {
            excerpts.over("n1", question -> new byte[] {(byte) read.incrementAndGet()});
            Await.until("the center takes it", Duration.ofMinutes(1), () -> {
                excerpts.offered(List.of(QUESTION));
                return !sent.isEmpty();
            });
        }
        assertThat(read).hasValue(1);
        assertThat(tried).hasValue(3);
    }

    @Test
    void aQuestionIsBounded() {
        assertThatThrownBy(() -> new ExcerptQuestion(-1, 0, ExcerptQuestion.MOST_BYTES))
                .hasMessage("id: -1 (expected: 0 or more)");
        assertThatThrownBy(() -> new ExcerptQuestion(1, -1, ExcerptQuestion.MOST_BYTES))
                .hasMessageContaining("since: -1 (expected: ");
        assertThatThrownBy(() -> new ExcerptQuestion(1, 0, ExcerptQuestion.MOST_BYTES + 1))
                .hasMessageContaining("bytes: 8388609 (expected: 65536..8388608)");
        assertThatThrownBy(() -> new ExcerptQuestion(1, 0, 0)).hasMessageContaining("bytes: 0");
    }

    @Test
    void questionsTravelWithTheFleet() {
        Fleet fleet = new Fleet(1, 1, "", 1).withExcerpts(List.of(QUESTION));
        assertThat(Fleet.parse(fleet.toJson())).isEqualTo(fleet);
        assertThat(new Fleet(1, 1, "", 1).toJson()).doesNotContain("excerpts");
    }

    @Test
    void aHeadIsReadAsItWasWritten() {
        ExcerptHead head = new ExcerptHead(1_800_000_000_000_000L, true, 3, Set.of("tenant", "plan"), "mark");
        assertThat(ExcerptHead.parse(head.toJson())).isEqualTo(head);
        assertThatThrownBy(() -> ExcerptHead.parse("{\"excerpt\":2}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ExcerptHead.parse(head.toJson().replace("tenant", "t".repeat(101))))
                .hasMessageContaining("plain");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
