package io.sluice.rules.internal.index;

import io.sluice.rules.Address;
import io.sluice.rules.Attributes;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request while it is looked up: what tables need of it, made once and when first needed. For one thread. */
final class Subject {

    private static final byte[] NONE = {};

    private final Set<String> names;
    private final Function<String, @Nullable String> attributes;
    private @Nullable String method;
    private byte @Nullable [] address;
    private @Nullable Segments segments;

    Subject(Attributes request) {
        this(request.names(), request::get);
    }

    private Subject(Set<String> names, Function<String, @Nullable String> attributes) {
        this.names = names;
        this.attributes = attributes;
    }

    /** A request of which one attribute is known. */
    static Subject with(String attribute, String value) {
        return new Subject(Set.of(attribute), name -> name.equals(attribute) ? value : null);
    }

    /** Of the attributes that it has. */
    Set<String> names() {
        return names;
    }

    /** As conditions compare it. */
    @Nullable
    String get(String attribute) {
        String value = attributes.apply(attribute);
        if (value == null || !attribute.equals("method")) {
            return value;
        }
        String capitals = method;
        if (capitals == null) {
            capitals = value.toUpperCase(Locale.ROOT);
            method = capitals;
        }
        return capitals;
    }

    /** Empty if the text is no address. */
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

    private static byte[] parsed(String text) {
        return Address.parse(text).map(Address::bytes).orElse(NONE);
    }
}
