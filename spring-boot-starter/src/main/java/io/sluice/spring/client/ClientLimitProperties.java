package io.sluice.spring.client;

import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits on calls to others.
 *
 * @param clientLimits Limits on the calls that this application makes to others, by a name of one's own.
 */
@ConfigurationProperties("sluice")
public record ClientLimitProperties(@DefaultValue Map<String, ClientLimit> clientLimits) {

    public ClientLimitProperties {
        clientLimits = Map.copyOf(clientLimits);
    }

    /**
     * A limit on calls to some hosts.
     *
     * @param hosts Whose calls are limited: api.example.com, *.example.com, or host:port.
     * @param rule The id of a rule in force that the calls keep.
     * @param rate How many calls there are at most in any span of the time: 5/s, 100/m, 5000/h, 20/10s.
     * @param margin By how much longer than the third party says a call counts, for calls that are held up on their way.
     * @param concurrency How many calls are under way at most.
     * @param concurrencyTtl After which time a call of a process that died is not under way any more.
     * @param perHost Whether each of the hosts has the limit for itself, or all have it together.
     * @param maxWait For how long a call waits for its limit before it is refused; 0 refuses at once.
     * @param onFailure What decides while the shared store does not: local, open or closed.
     * @param localShare The part of the limit that one process keeps while it decides alone, above 0 and at most 1.
     * @param heedRetryAfter Whether all calls of this limit in this process pause when an answer of status 429 or 503 says Retry-After.
     */
    public record ClientLimit(
            @DefaultValue List<String> hosts,
            @Nullable String rule,
            @Nullable String rate,
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
