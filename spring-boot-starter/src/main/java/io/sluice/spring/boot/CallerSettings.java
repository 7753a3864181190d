package io.sluice.spring.boot;

import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.rules.pattern.Network;
import io.sluice.spring.boot.store.SluiceStartException;
import java.util.List;

/** Reads whose word on the caller's address is taken. */
final class CallerSettings {

    private CallerSettings() {}

    static CallerAddress read(SluiceProperties.Client client) {
        List<String> trusted = client.trustedProxies();
        if (trusted.isEmpty()) {
            return CallerAddress.ofPeer();
        }
        try {
            return new CallerAddress(
                    trusted(trusted),
                    client.headers().stream().map(ForwardingHeader::named).toList());
        } catch (IllegalArgumentException e) {
            throw new SluiceStartException(
                    "sluice.client: " + e.getMessage(),
                    "Name networks such as 10.0.0.0/8 with sluice.client.trusted-proxies, or say how many proxies every request"
                            + " comes through, and with sluice.client.headers what they write.");
        }
    }

    private static TrustedProxies trusted(List<String> words) {
        if (words.size() == 1 && words.get(0).matches("[0-9]{1,9}")) {
            return new TrustedProxies.Nearest(Integer.parseInt(words.get(0)));
        }
        return new TrustedProxies.Within(words.stream().map(Network::parse).toList());
    }
}
