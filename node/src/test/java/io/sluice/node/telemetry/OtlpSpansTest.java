package io.sluice.node.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sluice.node.trace.FinishedSpan;
import io.sluice.node.trace.FinishedSpan.Kind;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class OtlpSpansTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final FinishedSpan SPAN = new FinishedSpan(
            "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "", "a", Kind.SERVER, 1_000, 10, false, Map.of());

    @Test
    void aReceiverThatHangsBlocksNobodyAndWhatDoesNotFitIsCounted() {
        Exporter hanging = new Exporter(new CountDownLatch(1));
        OtlpSpans spans = new OtlpSpans(hanging, "s", new ReceiverState("there", "spans"), 100);
        spans.start();
        spans.ended(SPAN);
        Await.until("a call that hangs", PATIENCE, () -> hanging.calls.get() == 1);
        for (int i = 0; i < 1_000; i++) {
            spans.ended(SPAN);
        }
        assertThat(spans.dropped()).isEqualTo(900);

        hanging.answer.countDown();
        Await.until("the rest", PATIENCE, () -> hanging.sent.get() == 101);
        spans.close();
        assertThat(spans.dropped()).isEqualTo(900);
    }

    @Test
    void whatIsLeftIsSentWhenTheNodeStops() {
        Exporter receiver = new Exporter(new CountDownLatch(0));
        OtlpSpans spans = new OtlpSpans(receiver, "s", new ReceiverState("there", "spans"), 2_000);
        for (int i = 0; i < 1_500; i++) {
            spans.ended(SPAN);
        }
        spans.start();
        spans.close();
        Await.until("all of them", PATIENCE, () -> receiver.sent.get() == 1_500);
        assertThat(spans.dropped()).isZero();
    }

    /** Answers when it may. */
    private static final class Exporter implements SpanExporter {

        private final CountDownLatch answer;
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();

        Exporter(CountDownLatch answer) {
            this.answer = answer;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            calls.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            sent.addAndGet(spans.size());
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
