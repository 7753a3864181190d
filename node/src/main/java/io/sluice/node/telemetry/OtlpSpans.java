package io.sluice.node.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sluice.node.config.TelemetrySettings.Otlp;
import io.sluice.node.trace.FinishedSpan;
import io.sluice.node.trace.SpanRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends spans to a receiver, many at a time, from a separate thread. Deciding threads only put spans into a queue. A span is dropped and
 * counted if the queue is full or the receiver does not accept it. Thread-safe.
 */
final class OtlpSpans implements SpanRecorder, AutoCloseable {

    /** The maximum number of waiting spans: two seconds at 4,000 spans per second. */
    static final int MOST_WAITING = 8_192;

    private static final int MOST_AT_ONCE = 512;
    private static final Duration GATHER_FOR = Duration.ofSeconds(1);
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(2);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(6);

    /** The library logs every failure; {@link ReceiverState} logs only the first one. */
    private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry.exporter");

    static {
        LIBRARY.setLevel(Level.OFF);
    }

    private final SpanExporter exporter;
    private final Resource resource;
    private final ReceiverState state;
    private final BlockingQueue<FinishedSpan> waiting;
    private final LongAdder dropped = new LongAdder();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "sluice-otlp-spans");

    OtlpSpans(SpanExporter exporter, String serviceName, ReceiverState state, int mostWaiting) {
        this.exporter = exporter;
        this.resource = Resource.create(
                Attributes.builder().put("service.name", serviceName).build());
        this.state = state;
        this.waiting = new ArrayBlockingQueue<>(mostWaiting);
        thread.setDaemon(true);
    }

    static OtlpSpans open(Otlp settings, Map<String, String> headers) {
        String address = settings.address("traces");
        OtlpHttpSpanExporterBuilder exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(address)
                .setConnectTimeout(CONNECT_WITHIN)
                .setTimeout(ANSWER_WITHIN)
                .setCompression("gzip")
                .setRetryPolicy(null);
        headers.forEach(exporter::addHeader);
        OtlpSpans spans = new OtlpSpans(
                exporter.build(), settings.serviceName(), new ReceiverState(address, "spans"), MOST_WAITING);
        spans.start();
        return spans;
    }

    void start() {
        thread.start();
    }

    @Override
    public void ended(FinishedSpan span) {
        if (!waiting.offer(span)) {
            dropped.increment();
        }
    }

    long dropped() {
        return dropped.sum();
    }

    private void run() {
        try {
            while (closing.getCount() > 0) {
                FinishedSpan first = waiting.poll(GATHER_FOR.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    if (waiting.size() < MOST_AT_ONCE) {
                        boolean unused = closing.await(GATHER_FOR.toMillis(), TimeUnit.MILLISECONDS);
                    }
                    boolean unused = send(first);
                }
            }
            FinishedSpan left = waiting.poll();
            while (left != null && send(left)) {
                left = waiting.poll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends a span and the spans that wait behind it. Returns whether the receiver has accepted them. */
    private boolean send(FinishedSpan first) {
        List<FinishedSpan> batch = new ArrayList<>(MOST_AT_ONCE);
        batch.add(first);
        waiting.drainTo(batch, MOST_AT_ONCE - 1);
        boolean taken = false;
        try {
            List<SpanData> spans = new ArrayList<>(batch.size());
            batch.forEach(span -> spans.add(new OtlpSpan(span, resource)));
            CompletableResultCode sent =
                    exporter.export(spans).join(2 * ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            taken = sent.isSuccess();
            if (taken) {
                state.took();
            } else {
                state.failed(sent.getFailureThrowable());
            }
        } catch (RuntimeException e) {
            state.failed(e);
        }
        if (!taken) {
            dropped.add(batch.size());
        }
        return taken;
    }

    /** Sends the remaining spans, for a few seconds at most. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join(CLOSE_WITHIN.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CompletableResultCode unused = exporter.shutdown();
    }
}
