package io.sluice.spring.client;

import io.sluice.spring.named.RuleReference;
import io.sluice.spring.named.RuleUser;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of calls, by host. A call to a host with several limits must pass all of them. Immutable.
 *
 * <pre>{@code
 * HostLimits limits = HostLimits.NONE.with(List.of("*.example.com"), LimitedCalls.of("example-api"));
 * RestClient client = RestClient.builder().requestInterceptor(callLimits.interceptor(limits)).build();
 * }</pre>
 */
public final class HostLimits implements RuleUser {

    /** Limits no call. */
    public static final HostLimits NONE = new HostLimits(List.of());

    private final List<OfHosts> all;

    private record OfHosts(String names, List<HostPattern> hosts, LimitedCalls calls) {}

    private HostLimits(List<OfHosts> all) {
        this.all = all;
    }

    /**
     * Returns a copy that also limits the calls to these hosts.
     *
     * @param hosts hosts: {@code api.example.com}, {@code *.example.com}, or {@code host:port}
     * @throws IllegalArgumentException if one of them is not a host
     */
    public HostLimits with(List<String> hosts, LimitedCalls calls) {
        List<OfHosts> more = new ArrayList<>(all);
        more.add(new OfHosts(
                String.join(", ", hosts), hosts.stream().map(HostPattern::of).toList(), calls));
        return new HostLimits(List.copyOf(more));
    }

    /** Returns the limits of a call. */
    List<LimitedCalls> of(OutboundCall call) {
        List<LimitedCalls> own = new ArrayList<>(1);
        for (OfHosts one : all) {
            if (one.hosts.stream().anyMatch(host -> host.matches(call))) {
                own.add(one.calls);
            }
        }
        return own;
    }

    @Override
    public List<RuleReference> named() {
        return all.stream()
                .filter(one -> one.calls.rule() == null)
                .map(one -> new RuleReference(one.calls.name(), "calls to " + one.names()))
                .toList();
    }
}
