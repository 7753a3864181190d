package io.sluice.rules.internal.index;

import io.sluice.rules.Address;
import io.sluice.rules.Attributes;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request while it is looked up: what tables need of it, made once and when first needed. For one thread. */
final class Subject {

    private static final byte[] NONE = {};
    private static final String METHOD = "method";

    private final @Nullable Attributes request;
    private final String only;
    private final String value;
    private @Nullable String method;
    private byte @Nullable [] address;
    private @Nullable Segments segments;

    private Subject(@Nullable Attributes request, String only, String value) {
        this.request = request;
        this.only = only;
        this.value = value;
    }

    Subject(Attributes request) {
        this(request, "", "");
    }

    /** A request of which one attribute is known. */
    static Subject with(String attribute, String value) {
        return new Subject(null, attribute, value);
    }

    /** Of the attributes that it has. */
    Set<String> names() {
        return request == null ? Set.of(only) : request.names();
    }

    /** How many attributes it has. */
    int size() {
        return request == null ? 1 : request.size();
    }

    /** As conditions compare it. */
    @Nullable
    String get(String attribute) {
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

    /** What {@code ip} is; empty if the text is no address. */
    byte[] address(String text) {
        byte[] known = address;
        if (known == null) {
            known = parsed(text);
            address = known;
        }
        return known;
    }

    Segments segments(String path) {
        Segments known = segments;
        if (known == null) {
            known = Segments.of(path);
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
