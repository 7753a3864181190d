package io.sluice.spring.web.servlet;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parameters that servlet containers read from a form in a body. */
final class FormParameters {

    /** The maximum number of bytes that containers read of a form. They read at most {@link #MOST} parameters from it. */
    private static final int LARGEST = 2 * 1024 * 1024;

    private static final int MOST = 10_000;

    private FormParameters() {}

    static Map<String, List<String>> read(InputStream body, Charset charset) throws IOException {
        byte[] bytes = body.readNBytes(LARGEST + 1);
        if (bytes.length > LARGEST) {
            throw new IllegalStateException("form: larger than " + LARGEST + " bytes (expected: no more)");
        }
        Map<String, List<String>> found = new LinkedHashMap<>();
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int count = 0;
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf('&', start);
            String pair = text.substring(start, end < 0 ? text.length() : end);
            start = end < 0 ? text.length() : end + 1;
            if (!pair.isEmpty()) {
                if (++count > MOST) {
                    throw new IllegalStateException("form: more than " + MOST + " fields (expected: no more)");
                }
                add(pair, charset, found);
            }
        }
        return found;
    }

    static Map<String, String[]> joined(Map<String, String[]> first, Map<String, List<String>> more) {
        Map<String, String[]> all = new LinkedHashMap<>(first);
        more.forEach((name, values) -> {
            String[] before = all.getOrDefault(name, new String[0]);
            String[] both = Arrays.copyOf(before, before.length + values.size());
            for (int i = 0; i < values.size(); i++) {
                both[before.length + i] = values.get(i);
            }
            all.put(name, both);
        });
        return Collections.unmodifiableMap(all);
    }

    private static void add(String pair, Charset charset, Map<String, List<String>> found) {
        int mark = pair.indexOf('=');
        String name = decoded(mark < 0 ? pair : pair.substring(0, mark), charset);
        String value = mark < 0 ? "" : decoded(pair.substring(mark + 1), charset);
        found.computeIfAbsent(name, any -> new ArrayList<>(1)).add(value);
    }

    /** @param text the encoded text, one character for each byte */
    private static String decoded(String text, Charset charset) {
        String raw = new String(text.getBytes(StandardCharsets.ISO_8859_1), charset);
        try {
            return URLDecoder.decode(raw, charset);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "form: broken percent-encoding (expected: a percent sign and two hexadecimal digits)", e);
        }
    }
}
