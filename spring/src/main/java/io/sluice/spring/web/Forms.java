package io.sluice.spring.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Reads and writes forms in request bodies. */
public final class Forms {

    private static final String TYPE = "application/x-www-form-urlencoded";

    private Forms() {}

    /** Returns whether a body of this content type is a form. */
    public static boolean isForm(@Nullable String contentType) {
        return contentType != null
                && contentType.strip().toLowerCase(Locale.ROOT).startsWith(TYPE);
    }

    /** Encodes a form that has already been parsed, as it would be sent. */
    public static byte[] written(Map<String, List<String>> fields) {
        StringJoiner form = new StringJoiner("&");
        fields.forEach((name, values) -> {
            for (@Nullable String value : values) {
                form.add(encoded(name) + "=" + (value == null ? "" : encoded(value)));
            }
        });
        return form.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
