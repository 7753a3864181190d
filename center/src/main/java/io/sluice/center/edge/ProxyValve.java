package io.sluice.center.edge;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Network;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Takes the address of a caller from {@code X-Forwarded-For}, if the request comes from a trusted proxy. The rightmost address that is not
 * itself a trusted proxy counts, because the caller wrote everything before it. The headers of all other senders are ignored.
 */
public final class ProxyValve extends ValveBase {

    private static final int MOST_HOPS = 100;

    private final List<Network> trusted;

    /**
     * Creates a valve.
     *
     * @throws IllegalArgumentException if a text is not a network
     */
    public ProxyValve(List<String> networks) {
        super(true);
        this.trusted = networks.stream().map(Network::parse).toList();
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        Optional<Address> peer = Address.parse(request.getRemoteAddr());
        if (peer.isPresent() && isTrusted(peer.get())) {
            String address = caller(peer.get(), hops(request)).toString();
            request.setRemoteAddr(address);
            request.setRemoteHost(address);
            List<String> schemes = values(request, "X-Forwarded-Proto");
            if (!schemes.isEmpty()) {
                boolean secure =
                        schemes.get(schemes.size() - 1).toLowerCase(Locale.ROOT).equals("https");
                request.setSecure(secure);
                request.getCoyoteRequest().scheme().setString(secure ? "https" : "http");
            }
        }
        getNext().invoke(request, response);
    }

    /**
     * Returns the address of the caller. A value that is not an address ends the search: the proxy that reported it is the last known
     * address.
     */
    private Address caller(Address peer, List<String> hops) {
        Address nearest = peer;
        for (int i = hops.size() - 1; i >= Math.max(0, hops.size() - MOST_HOPS); i--) {
            Optional<Address> hop = Address.parse(hops.get(i));
            if (hop.isEmpty()) {
                return nearest;
            }
            nearest = hop.get();
            if (!isTrusted(nearest)) {
                return nearest;
            }
        }
        return nearest;
    }

    private boolean isTrusted(Address address) {
        return trusted.stream().anyMatch(network -> network.contains(address));
    }

    private static List<String> hops(Request request) {
        return values(request, "X-Forwarded-For");
    }

    private static List<String> values(Request request, String header) {
        List<String> values = new ArrayList<>();
        for (String line : Collections.list(request.getHeaders(header))) {
            for (String value : line.split(",", -1)) {
                values.add(value.strip());
            }
        }
        return values;
    }
}
