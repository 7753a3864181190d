package io.sluice.http.field;

import io.sluice.rules.pattern.NormalPath;
import io.sluice.rules.yaml.PrintableText;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads wanted fields from {@code application/x-www-form-urlencoded} bodies, and from queries, which have the same format.
 * Immutable.
 *
 * <p>Servers differ in the value that they take of several, and in whether {@code ;} separates pairs like {@code &}, {@code
 * a[]} is {@code a}, and the query also counts. If such a difference concerns a wanted field, the body is ambiguous.
 *
 * <p>A library's decoder takes one of these readings and does not report that there are other readings.
 */
final class FormFields {

    private static final String FORM = "form.";
    private static final String QUERY = "query.";

    private final String prefix;
    private final WantedFields wanted;

    public FormFields(List<String> attributes) {
        this(FORM, attributes);
    }

    private FormFields(String prefix, List<String> attributes) {
        this.prefix = prefix;
        this.wanted = new WantedFields(prefix, attributes);
    }

    /** Creates a reader for the same pairs in a query, for attributes {@code query.<name>}. */
    public static FormFields ofQuery(List<String> attributes) {
        return new FormFields(QUERY, attributes);
    }

    /** Adds the fields of a query. Returns an error if servers could read a wanted field differently, or if it is not text. */
    public @Nullable String readQuery(String query, Map<String, String> found) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(query)) {
            return "path: half of a surrogate pair in the query (expected: valid Unicode text)";
        }
        Pairs pairs = new Pairs(StandardCharsets.UTF_8, true, found);
        pairs.read(query.getBytes(StandardCharsets.UTF_8), false);
        return pairs.ambiguous;
    }

    /** Adds the fields that are present. Returns an error if servers could read a wanted field differently. */
    public @Nullable String read(MediaType type, String query, byte[] body, Map<String, String> found) {
        if (wanted.isEmpty() || !type.isForm()) {
            return null;
        }
        Charset charset =
                switch (type.charset()) {
                    case "", "utf-8", "utf8", "us-ascii" -> StandardCharsets.UTF_8;
                    case "iso-8859-1", "latin1" -> StandardCharsets.ISO_8859_1;
                    default -> null;
                };
        if (charset == null) {
            return "content-type: charset " + PrintableText.text(type.charset()) + " (expected: utf-8 or iso-8859-1)";
        }
        Pairs pairs = new Pairs(charset, false, found);
        pairs.read(body, false);
        pairs.read(query.getBytes(StandardCharsets.UTF_8), true);
        return pairs.ambiguous;
    }

    private final class Pairs {

        private final Charset charset;
        private final boolean strict;
        private final Map<String, String> found;
        private final Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        private @Nullable String ambiguous;

        /**
         * Creates a reader of pairs. If strict, it refuses values that are not text in this charset, which would otherwise all
         * become the same value.
         */
        Pairs(Charset charset, boolean strict, Map<String, String> found) {
            this.charset = charset;
            this.strict = strict;
            this.found = found;
        }

        void read(byte[] bytes, boolean ofQuery) {
            // One character per byte.
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int start = 0;
            boolean loose = ofQuery;
            for (int i = 0; i <= text.length() && ambiguous == null; i++) {
                char c = i < text.length() ? text.charAt(i) : '&';
                if (c == '&' || c == ';') {
                    pair(text, start, i, loose || c == ';');
                    start = i + 1;
                    loose = ofQuery || c == ';';
                }
            }
        }

        /** Reads a pair. It is loose if some servers would not treat it as a pair of the form. */
        private void pair(String text, int start, int end, boolean loose) {
            int nameEnd = start;
            while (nameEnd < end && text.charAt(nameEnd) != '=') {
                nameEnd++;
            }
            String name = unescaped(text, start, nameEnd).toString(charset);
            String plain = wanted.isValue(name) ? name : plain(name);
            if (!wanted.isValue(plain)) {
                return;
            }
            if (loose || !name.equals(plain) || !seen.add(plain)) {
                ambiguous = WantedFields.twice(prefix, plain);
            } else {
                put(plain, unescaped(text, Math.min(nameEnd + 1, end), end));
            }
        }

        private void put(String name, ByteArrayOutputStream value) {
            if (strict && !isText(value.toByteArray())) {
                ambiguous = prefix + PrintableText.text(name) + ": not UTF-8 (expected: percent-encoded UTF-8)";
            } else {
                wanted.put(name, value.toString(charset), found);
            }
        }

        private boolean isText(byte[] value) {
            try {
                charset.newDecoder().decode(ByteBuffer.wrap(value));
                return true;
            } catch (CharacterCodingException e) {
                return false;
            }
        }

        private ByteArrayOutputStream unescaped(String text, int start, int end) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(end - start);
            for (int i = start; i < end; i++) {
                char c = text.charAt(i);
                int high = c == '%' && i + 2 < end ? NormalPath.hex(text.charAt(i + 1)) : -1;
                int low = c == '%' && i + 2 < end ? NormalPath.hex(text.charAt(i + 2)) : -1;
                if (high >= 0 && low >= 0) {
                    bytes.write((high << 4) | low);
                    i += 2;
                } else {
                    bytes.write(c == '+' ? ' ' : c);
                }
            }
            return bytes;
        }
    }

    /** Returns the name as some servers read it: without leading blanks, and cut off at a bracket or a NUL. */
    private static String plain(String name) {
        int start = 0;
        while (start < name.length() && name.charAt(start) == ' ') {
            start++;
        }
        int end = start;
        while (end < name.length() && name.charAt(end) != '[' && name.charAt(end) != '\0') {
            end++;
        }
        return name.substring(start, end);
    }
}
