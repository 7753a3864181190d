package io.sluice.center.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EventQueueTest {

    private final EventQueue queue = new EventQueue();

    private String next() {
        return new String(Objects.requireNonNull(queue.next()), StandardCharsets.UTF_8);
    }

    @Test
    void anEventIsOneLineWhateverItsText() {
        assertThat(queue.add("alerts", "{\"a\":\r\n\r\n1}")).isTrue();
        assertThat(queue.comment("here")).isTrue();
        assertThat(next()).isEqualTo("event: alerts\ndata: {\"a\": 1}\n\n");
        assertThat(next()).isEqualTo(": here\n\n");
        assertThat(queue.next()).isNull();
    }

    @Test
    void neitherEventsNorBytesPileUp() {
        for (int i = 0; i < EventQueue.MOST_EVENTS; i++) {
            assertThat(queue.add("counts", "{}")).isTrue();
        }
        assertThat(queue.add("counts", "{}")).isFalse();
        assertThat(next()).startsWith("event: counts");
        assertThat(queue.add("counts", "{}")).isTrue();
        EventQueue other = new EventQueue();
        assertThat(other.add("counts", "x".repeat(EventQueue.MOST_BYTES))).isFalse();
        assertThat(other.add("counts", "x".repeat(EventQueue.MOST_BYTES / 2))).isTrue();
        assertThat(other.add("counts", "x".repeat(EventQueue.MOST_BYTES / 2))).isFalse();
    }

    @Test
    void aListenerHearsTwentyRefusalsInASecond() {
        RefusalQuota quota = new RefusalQuota();
        for (int i = 0; i < RefusalQuota.MOST; i++) {
            assertThat(quota.isFree(5)).isTrue();
            quota.take(5);
        }
        assertThat(quota.isFree(5)).isFalse();
        assertThat(quota.isFree(6)).isTrue();
    }
}
