package io.sluice.rules.internal;

import io.sluice.rules.yaml.Shown;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes wanted fields out of {@code application/x-www-form-urlencoded} bodies, and out of queries, which look the same. Immutable.
 *
 * <p>Servers differ in which of several values they take, in whether {@code ;} separates like {@code &}, in whether {@code a[]}
 * is {@code a}, and in whether the query counts too. Where that concerns a wanted field, the body is ambiguous.
 */
public final class FormFields {

    private static final String FORM = "form.";
    private static final String QUERY = "query.";
    private static final String TYPE = "application/x-www-form-urlencoded";

    private final String prefix;
    private final WantedFields wanted;

    public FormFields(List<String> attributes) {
        this(FORM, attributes);
    }

    private FormFields(String prefix, List<String> attributes) {
        this.prefix = prefix;
        this.wanted = new WantedFields(prefix, attributes);
    }

    /** For the same pairs in a query, of attributes {@code query.<name>}. */
    public static FormFields ofQuery(List<String> attributes) {
        return new FormFields(QUERY, attributes);
    }

    /** Adds what a query says; returns what is wrong with a field on which servers would differ. */
    public @Nullable String readQuery(String query, Map<String, String> found) {
        Pairs pairs = new Pairs(StandardCharsets.UTF_8, found);
        pairs.read(query, false);
        return pairs.ambiguous;
    }

    /** Adds what is there; returns what is wrong with a field on which servers would differ. */
    public @Nullable String read(MediaType type, String query, byte[] body, Map<String, String> found) {
        if (wanted.isEmpty() || !type.type().equals(TYPE)) {
            return null;
        }
        Charset charset =
                switch (type.charset()) {
                    case "", "utf-8", "utf8", "us-ascii" -> StandardCharsets.UTF_8;
                    case "iso-8859-1", "latin1" -> StandardCharsets.ISO_8859_1;
                    default -> null;
                };
        if (charset == null) {
            return "content-type: charset " + Shown.text(type.charset()) + " (expected: utf-8 or iso-8859-1)";
        }
        Pairs pairs = new Pairs(charset, found);
        // One character for each byte.
        pairs.read(new String(body, StandardCharsets.ISO_8859_1), false);
        pairs.read(query, true);
        return pairs.ambiguous;
    }

    private final class Pairs {

        private final Charset charset;
        private final Map<String, String> found;
        private final Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        private @Nullable String ambiguous;

        Pairs(Charset charset, Map<String, String> found) {
            this.charset = charset;
            this.found = found;
        }

        void read(String text, boolean ofQuery) {
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

        /** Loose: one that not every server would take for a pair of the form. */
        private void pair(String text, int start, int end, boolean loose) {
            int nameEnd = start;
            while (nameEnd < end && text.charAt(nameEnd) != '=') {
                nameEnd++;
            }
            String name = decoded(text, start, nameEnd);
            String plain = wanted.isValue(name) ? name : plain(name);
            if (!wanted.isValue(plain)) {
                return;
            }
            if (loose || !name.equals(plain) || !seen.add(plain)) {
                ambiguous = WantedFields.twice(prefix, plain);
            } else {
                wanted.put(plain, decoded(text, Math.min(nameEnd + 1, end), end), found);
            }
        }

        private String decoded(String text, int start, int end) {
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
            return bytes.toString(charset);
        }
    }

    /** What some servers make of a name: without blanks before it, and without what follows a bracket or a NUL. */
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
