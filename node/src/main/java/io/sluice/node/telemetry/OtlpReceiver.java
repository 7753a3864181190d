package io.sluice.node.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.node.config.TelemetrySettings.Otlp;
import io.sluice.node.trace.FinishedSpan;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A receiver of OTLP over HTTP. Thread-safe. */
final class OtlpReceiver implements Telemetry.Receiver {

    private final OtlpSpans spans;
    private final @Nullable MeterRegistry metrics;

    private OtlpReceiver(OtlpSpans spans, @Nullable MeterRegistry metrics) {
        this.spans = spans;
        this.metrics = metrics;
    }

    static Telemetry.Receiver open(Otlp settings, Map<String, String> headers) {
        return new OtlpReceiver(
                OtlpSpans.open(settings, headers), settings.metrics() ? OtlpMetrics.open(settings, headers) : null);
    }

    @Override
    public void ended(FinishedSpan span) {
        spans.ended(span);
    }

    @Override
    public long dropped() {
        return spans.dropped();
    }

    @Override
    public Optional<MeterRegistry> registry() {
        return Optional.ofNullable(metrics);
    }

    @Override
    public void close() {
        spans.close();
        if (metrics != null) {
            metrics.close();
        }
    }
}
