package io.sluice.http.request;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.HopAddress;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of the caller, in the same way for every entry point. Immutable.
 *
 * <p>Any client can write a header, so only the part that trusted proxies added is read: from the right, past the trusted
 * addresses, to the first address that is not trusted. If that element is not an address (a name, {@code unknown}, an
 * obfuscated identifier, broken quotes), or if two of the headers disagree, the caller is the peer. So a caller can be counted
 * together with other callers, but never as a new caller.
 */
public final class CallerAddress {

    private static final CallerAddress PEER = new CallerAddress(new TrustedProxies.Nobody(), List.of());

    private final TrustedProxies trusted;
    private final List<ForwardingHeader> headers;

    /**
     * Creates a finder.
     *
     * @param trusted the proxies whose headers are read
     * @param headers the headers that all of the trusted proxies write. Do not include a header that they pass through as the
     *     caller wrote it
     */
    public CallerAddress(TrustedProxies trusted, List<ForwardingHeader> headers) {
        this.trusted = trusted;
        this.headers = List.copyOf(headers);
    }

    /** Returns a finder that trusts no proxy. */
    public static CallerAddress ofPeer() {
        return PEER;
    }

    /**
     * Returns the caller's address; empty only if the peer has no address.
     *
     * @param peer the address that connected, or null if it has none, as with a Unix socket
     * @param lines returns the lines of a header by its lower-case name, in the order of their arrival
     */
    public Optional<Address> of(@Nullable Address peer, Function<String, List<String>> lines) {
        if (!trusted.trusts(peer)) {
            return Optional.ofNullable(peer);
        }
        Address found = null;
        for (ForwardingHeader header : headers) {
            List<String> values = lines.apply(header.word());
            if (values.stream().allMatch(String::isBlank)) {
                continue;
            }
            Address told = told(header, values);
            if (told == null || (found != null && !found.equals(told))) {
                return Optional.ofNullable(peer);
            }
            found = told;
        }
        return Optional.ofNullable(found == null ? peer : found);
    }

    /** Returns the headers that are trusted from this peer. Headers that the peer may just pass through are not included. */
    public List<ForwardingHeader> believed(@Nullable Address peer) {
        return trusted.trusts(peer) ? headers : List.of();
    }

    private @Nullable Address told(ForwardingHeader header, List<String> values) {
        return switch (header) {
            case X_REAL_IP -> values.size() == 1 ? HopAddress.read(values.get(0)) : null;
            case X_FORWARDED_FOR -> caller(new HopsFromTheRight(values), HopAddress::read);
            case FORWARDED -> {
                List<String> nodes = ForwardedElements.nodes(values);
                Collections.reverse(nodes);
                yield caller(nodes.iterator(), HopAddress::readNode);
            }
        };
    }

    private @Nullable Address caller(Iterator<String> fromTheRight, Function<String, @Nullable Address> reader) {
        if (trusted instanceof TrustedProxies.Nearest nearest) {
            String last = null;
            for (int i = 0; i < nearest.count() && fromTheRight.hasNext(); i++) {
                last = fromTheRight.next();
            }
            return last == null ? null : reader.apply(last);
        }
        Address last = null;
        while (fromTheRight.hasNext()) {
            last = reader.apply(fromTheRight.next());
            if (!trusted.trusts(last)) {
                return last;
            }
        }
        return last;
    }
}
