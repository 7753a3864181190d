package io.sluice.spring.boot.client;

import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits on outbound calls.
 *
 * @param outbound Limits on the calls that this application makes to other services, each under a name of your choice.
 */
@ConfigurationProperties("sluice")
public record ClientLimitProperties(@DefaultValue Map<String, ClientLimit> outbound) {

    public ClientLimitProperties {
        outbound = Map.copyOf(outbound);
    }

    /**
     * A limit on the calls to some hosts.
     *
     * @param hosts Hosts whose calls are limited: api.example.com, *.example.com, or host:port.
     * @param rule Id of a rule in force that limits the calls. Use either this or at-most and concurrency.
     * @param atMost Maximum number of calls in any period of this length: 5/s, 100/m, 5000/h, 20/10s.
     * @param margin Time added to the period of at-most, for calls that are delayed on their way to the host.
     * @param concurrency Maximum number of calls in flight.
     * @param concurrencyTtl Time after which a call of a process that died no longer counts as in flight.
     * @param perHost Whether each host has its own count. Otherwise all hosts of the limit share one count.
     * @param maxWait Maximum time that a call waits for its limit before it is refused. With 0 it is refused immediately.
     * @param onFailure Policy that decides while the shared store is unavailable: local, open or closed.
     * @param localShare Part of the limit that one process enforces while it decides alone, above 0 and at most 1.
     * @param heedRetryAfter Whether a response with status 429 or 503 and a Retry-After header pauses all calls of this limit in
     *     this process.
     */
    public record ClientLimit(
            @DefaultValue List<String> hosts,
            @Nullable String rule,
            @Nullable String atMost,
            @DefaultValue("0ms") Duration margin,
            @Nullable Long concurrency,
            @DefaultValue("1m") Duration concurrencyTtl,
            @DefaultValue("false") boolean perHost,
            @DefaultValue("1s") Duration maxWait,
            @DefaultValue("local") FailurePolicy onFailure,
            @Nullable Double localShare,
            @DefaultValue("false") boolean heedRetryAfter) {

        public ClientLimit {
            hosts = List.copyOf(hosts);
        }
    }
}
