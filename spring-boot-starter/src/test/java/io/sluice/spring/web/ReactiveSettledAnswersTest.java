package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.internal.Settlements;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Runs {@link SettledAnswers} on Reactor Netty. */
final class ReactiveSettledAnswersTest extends SettledAnswers {

    private static final String SLOW = """
              - id: slow
                resource: /slow
                limits:
                  - { id: calls, rate: 1/h, burst: 1, max_wait: 1d, cost: { reserve: 1, settle: answer.header.x-rows } }
            """;

    @Override
    RunningApp app() {
        return new RunningApp.Starting(true, ReactiveApp.class, Answers.class).rules(RULES + SLOW);
    }

    @Test
    void theReservationOfACallerThatLeavesWhileItWaitsForItsTimeSlotIsNoted() throws Exception {
        Settlements settlements = running().bean(Settlements.class);
        assertThat(running().get("/slow").statusCode()).isEqualTo(200);
        awaitAll(settlements, 1);
        int before = settlements.rulings();

        CompletableFuture<HttpResponse<Void>> waiting = running()
                .client()
                .sendAsync(running().request("/slow").build(), HttpResponse.BodyHandlers.discarding());
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> settlements.rulings() > before);
        waiting.cancel(true);

        awaitAll(settlements, 2);
        assertThat(settlements.all()).containsExactly("slow.calls 1 no-figure", "slow.calls 1 aborted");
    }

    private static void awaitAll(Settlements settlements, int count) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> settlements.all().size() >= count);
    }
}
