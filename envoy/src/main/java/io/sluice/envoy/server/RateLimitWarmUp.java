package io.sluice.envoy.server;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Sends requests through a temporary server before the real server listens. The first requests take longer than Envoy waits, because
 * classes are loaded and code is compiled. The requests ask for limits of the rules in force and only look.
 */
final class RateLimitWarmUp {

    /** The number of concurrent calls. There are several, so that requests to a shared store are sent together. */
    private static final int AT_ONCE = 32;

    /** The maximum number of rules that requests are made for. */
    private static final int MOST_RULES = 8;

    private static final String METHOD =
            "/" + RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName();
    private static final String ANY = "warm-up";

    private RateLimitWarmUp() {}

    /** Sends requests while {@code more} is true. The token keeps other processes out. */
    static void run(RateLimitDecider decider, List<Rule> rules, BooleanSupplier more)
            throws IOException, GeneralSecurityException {
        String token = "Bearer " + UUID.randomUUID();
        AllowedCallers self = new AllowedCallers(connection -> true, Optional.of(List.of(token)::equals));
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (EnvoyServer server = EnvoyServer.start(loopback, Optional.empty(), self, decider)) {
            server.open();
            try (PlainCalls calls =
                    new PlainCalls(new InetSocketAddress(loopback.getAddress(), server.port()), METHOD, token)) {
                List<byte[]> messages = messages(rules);
                while (more.getAsBoolean()) {
                    calls.call(messages);
                }
            }
        }
    }

    private static List<byte[]> messages(List<Rule> rules) {
        List<RateLimitRequest> requests = requests(rules);
        List<byte[]> messages = new ArrayList<>(AT_ONCE);
        for (int i = 0; i < AT_ONCE; i++) {
            messages.add(requests.get(i % requests.size()).toByteArray());
        }
        return messages;
    }

    /** Returns a request for each of the first rules, or one request without a matching rule if there are no rules. */
    static List<RateLimitRequest> requests(List<Rule> rules) {
        List<RateLimitRequest> requests = new ArrayList<>();
        rules.stream()
                .flatMap(rule -> rule.protocol().stream())
                .filter(EnvoyDescriptor.class::isInstance)
                .map(EnvoyDescriptor.class::cast)
                .limit(MOST_RULES)
                .forEach(scope -> requests.add(request(scope)));
        return requests.isEmpty()
                ? List.of(request(ANY, RateLimitDescriptor.newBuilder().addEntries(entry(ANY, ANY))))
                : requests;
    }

    private static RateLimitRequest request(EnvoyDescriptor scope) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        scope.path()
                .forEach(entry -> descriptor.addEntries(
                        entry(entry.key(), entry.value().orElse(ANY).replace("*", ANY))));
        return request(scope.domain(), descriptor);
    }

    private static RateLimitDescriptor.Entry entry(String key, String value) {
        return RateLimitDescriptor.Entry.newBuilder()
                .setKey(key)
                .setValue(value)
                .build();
    }

    private static RateLimitRequest request(String domain, RateLimitDescriptor.Builder descriptor) {
        return RateLimitRequest.newBuilder()
                .setDomain(domain)
                .addDescriptors(descriptor.setHitsAddend(UInt64Value.of(0)))
                .build();
    }
}
