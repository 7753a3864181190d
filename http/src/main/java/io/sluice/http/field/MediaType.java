package io.sluice.http.field;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@code Content-Type} header.
 *
 * @param type the type in lower case, without parameters; empty if there is none
 * @param charset the charset in lower case, without quotes; empty if there is none, {@code ?} if there are several
 */
record MediaType(String type, String charset) {

    /** The text after the type. Some servers, including PHP, also end the type at a comma or a space. */
    private static final Pattern AFTER_TYPE = Pattern.compile("[;,\\s].*", Pattern.DOTALL);

    boolean isJson() {
        return type.equals("application/json") || type.equals("text/json") || type.endsWith("+json");
    }

    boolean isForm() {
        return type.equals("application/x-www-form-urlencoded");
    }

    boolean isMultipart() {
        return type.startsWith("multipart/");
    }

    public static MediaType of(@Nullable String header) {
        if (header == null) {
            return new MediaType("", "");
        }
        String charset = "";
        int end = header.indexOf(';');
        String type = AFTER_TYPE.matcher(header.strip()).replaceFirst("").toLowerCase(Locale.ROOT);
        while (end >= 0) {
            int start = end + 1;
            end = header.indexOf(';', start);
            String parameter = header.substring(start, end < 0 ? header.length() : end)
                    .strip()
                    .toLowerCase(Locale.ROOT);
            if (parameter.startsWith("charset=")) {
                charset = charset.isEmpty()
                        ? parameter.substring(8).replace("\"", "").strip()
                        : "?";
            }
        }
        return new MediaType(type, charset);
    }
}
