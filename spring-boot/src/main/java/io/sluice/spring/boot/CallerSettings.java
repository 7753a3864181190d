package io.sluice.spring.boot;

import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.rules.pattern.Network;
import io.sluice.spring.boot.store.SluiceStartException;
import java.util.List;

/** Reads from the properties the proxies that are trusted to report the caller's address. */
final class CallerSettings {

    private CallerSettings() {}

    static CallerAddress read(SluiceProperties.Caller caller) {
        List<String> trusted = caller.trustedProxies();
        if (trusted.isEmpty()) {
            return CallerAddress.ofPeer();
        }
        try {
            return new CallerAddress(
                    trusted(trusted),
                    caller.headers().stream().map(ForwardingHeader::named).toList());
        } catch (IllegalArgumentException e) {
            throw new SluiceStartException(
                    "sluice.caller: " + e.getMessage(),
                    "Set sluice.caller.trusted-proxies to networks such as 10.0.0.0/8, or to how many proxies every"
                            + " request passes, and sluice.caller.headers to the headers that they write.");
        }
    }

    private static TrustedProxies trusted(List<String> words) {
        if (words.size() == 1 && words.get(0).matches("[0-9]{1,9}")) {
            return new TrustedProxies.Nearest(Integer.parseInt(words.get(0)));
        }
        return new TrustedProxies.Within(words.stream().map(Network::parse).toList());
    }
}
