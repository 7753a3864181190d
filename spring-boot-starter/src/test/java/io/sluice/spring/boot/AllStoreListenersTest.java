package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AllStoreListenersTest {

    private static final StoreListener FAILING = new StoreListener() {
        @Override
        public void called(String outcome, int decisions, long nanos) {
            throw new IllegalStateException("broken listener");
        }

        @Override
        public void changed(StoreState state) {
            throw new IllegalStateException("broken listener");
        }
    };

    @Test
    void aListenerThatThrowsIsCountedAndOthersAreNotified() {
        List<String> heard = new ArrayList<>();
        StoreListener hearing = new StoreListener() {
            @Override
            public void called(String outcome, int decisions, long nanos) {
                heard.add(outcome);
            }

            @Override
            public void changed(StoreState state) {
                heard.add(state.reason());
            }
        };
        AllStoreListeners all = new AllStoreListeners(List.of(FAILING, hearing));

        all.called("ok", 1, 1);
        all.called("late", 1, 1);
        all.changed(new StoreState(false, "breaker-open", "redis-timeout", 1));

        assertThat(heard).containsExactly("ok", "late", "breaker-open");
        assertThat(all.failures()).isEqualTo(3);
    }
}
