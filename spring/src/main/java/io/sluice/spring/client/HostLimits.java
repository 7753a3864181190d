package io.sluice.spring.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Which limits the calls to a host have. A call to a host with several limits must pass all of them. Immutable.
 *
 * <pre>{@code
 * HostLimits limits = HostLimits.NONE.with(List.of("*.example.com"), LimitedCalls.of("example-api"));
 * RestClient client = RestClient.builder().requestInterceptor(callLimits.interceptor(limits)).build();
 * }</pre>
 */
public final class HostLimits {

    /** No call has a limit. */
    public static final HostLimits NONE = new HostLimits(List.of());

    private final List<OfHosts> all;

    private record OfHosts(List<HostPattern> hosts, LimitedCalls calls) {}

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
        more.add(new OfHosts(hosts.stream().map(HostPattern::of).toList(), calls));
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

    /** Returns the ids of the rules in force that the limits name. */
    public List<String> rules() {
        return all.stream()
                .filter(one -> one.calls.rule() == null)
                .map(one -> one.calls.name())
                .distinct()
                .toList();
    }
}
