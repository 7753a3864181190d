package io.sluice.node.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.core.time.Clock;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.config.TelemetrySettings;
import io.sluice.node.config.TelemetrySettings.Otlp;
import io.sluice.node.trace.SpanRecorder;
import io.sluice.node.trace.Tracing;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the spans and metrics of a node to a receiver of OTLP. Without a receiver no class of OpenTelemetry is loaded and no thread is
 * started. Thread-safe.
 */
public final class Telemetry implements AutoCloseable {

    private final Tracing tracing;
    private final @Nullable Receiver receiver;

    private Telemetry(Tracing tracing, @Nullable Receiver receiver) {
        this.tracing = tracing;
        this.receiver = receiver;
    }

    /** A receiver of spans and, if configured, of metrics. */
    interface Receiver extends AutoCloseable, SpanRecorder {

        /** Returns the number of dropped spans. */
        long dropped();

        /** Returns the registry whose metrics are sent; empty if none are. */
        Optional<MeterRegistry> registry();

        @Override
        void close();
    }

    /** Starts to send the configured data. */
    public static Telemetry open(TelemetrySettings settings, Clock clock) throws StartFailedException {
        if (settings.otlp().isEmpty()) {
            return new Telemetry(new Tracing(settings.startTraces(), 0, null, clock), null);
        }
        Otlp otlp = settings.otlp().get();
        Map<String, String> headers = otlp.headersFile().isPresent()
                ? HeadersFile.read(otlp.headersFile().get())
                : Map.of();
        Receiver receiver = OtlpReceiver.open(otlp, headers);
        return new Telemetry(new Tracing(settings.startTraces(), otlp.share(), receiver, clock), receiver);
    }

    public Tracing tracing() {
        return tracing;
    }

    /** Returns the registry whose metrics are sent; empty if none are. */
    public Optional<MeterRegistry> registry() {
        return receiver == null ? Optional.empty() : receiver.registry();
    }

    /** Returns the number of dropped spans; empty if no spans are made. */
    public Optional<LongSupplier> droppedSpans() {
        return Optional.ofNullable(receiver).map(known -> known::dropped);
    }

    /** Sends the remaining data, for a few seconds at most. */
    @Override
    public void close() {
        if (receiver != null) {
            receiver.close();
        }
    }
}
