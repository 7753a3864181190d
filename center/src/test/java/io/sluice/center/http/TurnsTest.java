package io.sluice.center.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class TurnsTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final Turns turns = new Turns(1, 1, LONG);

    @Test
    void someWaitAndAllOthersAreToldAtOnce() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> first = begin(() -> {
            working.countDown();
            await(end);
            return "first";
        });
        assertThat(working.await(LONG.toMinutes(), TimeUnit.MINUTES)).isTrue();
        CompletableFuture<String> second = begin(() -> "second");
        Await.until("the second waits", LONG, () -> turns.waiting() == 1);

        assertThatIllegalStateException().isThrownBy(() -> take(() -> "third")).withMessage("busy");

        end.countDown();
        assertThat(first.join()).isEqualTo("first");
        assertThat(second.join()).isEqualTo("second");
        assertThat(take(() -> "fourth")).isEqualTo("fourth");
    }

    @Test
    void workThatFailsEndsItsTurn() {
        assertThatIllegalStateException()
                .isThrownBy(() -> take(() -> {
                    throw new IllegalStateException("failed");
                }))
                .withMessage("failed");
        assertThat(take(() -> "next")).isEqualTo("next");
    }

    private CompletableFuture<String> begin(Supplier<String> work) {
        return CompletableFuture.supplyAsync(() -> take(work), command -> new Thread(command).start());
    }

    private String take(Supplier<String> work) {
        return turns.take(work, () -> new IllegalStateException("busy"));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toMinutes(), TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
