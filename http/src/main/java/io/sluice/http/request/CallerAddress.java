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
 * Finds the address of whoever sent a request, the same way at every front door. Immutable.
 *
 * <p>Anybody can write a header, so only what trusted proxies added is read: from the right, past those we trust, to the first
 * address that we do not. Where that is no address (a name, {@code unknown}, an obfuscated identifier, broken quotes), or where
 * two of the headers that are read say different things, the caller is the peer. So a caller can make himself counted
 * together with others, but never as somebody new.
 */
public final class CallerAddress {

    private static final CallerAddress PEER = new CallerAddress(new TrustedProxies.Nobody(), List.of());

    private final TrustedProxies trusted;
    private final List<ForwardingHeader> headers;

    /**
     * A finder.
     *
     * @param trusted whose headers are read
     * @param headers the ones that all of the trusted proxies write. One that they let through as the caller wrote it must not be
     *     among them
     */
    public CallerAddress(TrustedProxies trusted, List<ForwardingHeader> headers) {
        this.trusted = trusted;
        this.headers = List.copyOf(headers);
    }

    /** Trusts nobody. */
    public static CallerAddress ofPeer() {
        return PEER;
    }

    /**
     * The caller's address; empty only if the peer has none.
     *
     * @param peer who connected; null if it has no address, as with a Unix socket
     * @param lines gives the lines of the header of a name (in small letters), in the order they came
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

    /** The headers in which this peer's word is taken; none of those that it may just let through. */
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
