package io.sluice.node.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.ipc.http.HttpUrlConnectionSender;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import io.sluice.node.config.TelemetrySettings.Otlp;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A registry that sends its metrics to a receiver, from a separate thread. */
final class OtlpMetrics {

    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(2);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

    private OtlpMetrics() {}

    static MeterRegistry open(Otlp settings, Map<String, String> headers) {
        String address = settings.address("metrics");
        ReceiverState state = new ReceiverState(address, "metrics");
        OtlpMetricsSender http = new OtlpHttpMetricsSender(new HttpUrlConnectionSender(CONNECT_WITHIN, ANSWER_WITHIN));
        return OtlpMeterRegistry.builder(config(settings, address, headers))
                .threadFactory(work -> {
                    Thread thread = new Thread(work, "sluice-otlp-metrics");
                    thread.setDaemon(true);
                    return thread;
                })
                .metricsSender(request -> {
                    try {
                        http.send(request);
                        state.took();
                    } catch (Exception e) {
                        state.failed(e);
                    }
                })
                .build();
    }

    private static OtlpConfig config(Otlp settings, String address, Map<String, String> headers) {
        return new OtlpConfig() {
            @Override
            public @Nullable String get(String key) {
                return null;
            }

            @Override
            public String url() {
                return address;
            }

            @Override
            public Duration step() {
                return settings.interval();
            }

            @Override
            public Map<String, String> resourceAttributes() {
                return Map.of("service.name", settings.serviceName());
            }

            @Override
            public Map<String, String> headers() {
                return headers;
            }

            @Override
            public TimeUnit baseTimeUnit() {
                return TimeUnit.SECONDS;
            }
        };
    }
}
