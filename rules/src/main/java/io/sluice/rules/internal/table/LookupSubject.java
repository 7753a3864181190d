package io.sluice.rules.internal.table;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request during its lookup. Values that tables need are computed once, on first use. Not thread-safe. */
public final class LookupSubject {

    private static final byte[] NONE = {};
    private static final String METHOD = "method";

    private final @Nullable Attributes request;
    private final String only;
    private final String value;
    private @Nullable String method;
    private byte @Nullable [] address;
    private @Nullable PathSegments segments;

    private LookupSubject(@Nullable Attributes request, String only, String value) {
        this.request = request;
        this.only = only;
        this.value = value;
    }

    public LookupSubject(Attributes request) {
        this(request, "", "");
    }

    /** Creates a request with one known attribute. */
    public static LookupSubject with(String attribute, String value) {
        return new LookupSubject(null, attribute, value);
    }

    /** Returns the names of the request's attributes. */
    public Set<String> names() {
        return request == null ? Set.of(only) : request.names();
    }

    /** Returns the number of the request's attributes. */
    public int size() {
        return request == null ? 1 : request.size();
    }

    /** Returns an attribute in the form in which conditions compare it. */
    @Nullable
    public String get(String attribute) {
        String plain = plain(attribute);
        if (plain == null || !attribute.equals(METHOD)) {
            return plain;
        }
        String capitals = method;
        if (capitals == null) {
            capitals = plain.toUpperCase(Locale.ROOT);
            method = capitals;
        }
        return capitals;
    }

    /** Returns the address in {@code ip}; empty if the text is not an address. */
    public byte[] address(String text) {
        byte[] known = address;
        if (known == null) {
            known = parsed(text);
            address = known;
        }
        return known;
    }

    public PathSegments segments(String path) {
        PathSegments known = segments;
        if (known == null) {
            known = PathSegments.of(path);
            segments = known;
        }
        return known;
    }

    private @Nullable String plain(String attribute) {
        return request != null ? request.get(attribute) : attribute.equals(only) ? value : null;
    }

    private byte[] parsed(String text) {
        Address known =
                request != null ? request.address() : Address.parse(text).orElse(null);
        return known == null ? NONE : known.bytes();
    }
}
