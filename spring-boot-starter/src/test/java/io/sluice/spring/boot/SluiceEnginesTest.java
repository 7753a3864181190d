package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SluiceEnginesTest {

    @Test
    void closingWaitsForTheLastSettlements() {
        SluiceEngines engines = SluiceEngines.open(
                Clock.system(), Optional.empty(), "rate_limit", new Deaf(), Optional.empty(), Optional.empty());
        CompletableFuture<Void> settling = new CompletableFuture<>();
        engines.settleFirst(() -> {
            var unused = CompletableFuture.runAsync(() -> settling.complete(null));
            return settling;
        });

        engines.close();

        assertThat(settling).isCompleted();
    }

    private static final class Deaf implements StoreListener {

        @Override
        public void called(String outcome, int decisions, long nanos) {}

        @Override
        public void changed(StoreState state) {}
    }
}
