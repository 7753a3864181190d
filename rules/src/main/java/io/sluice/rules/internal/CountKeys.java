package io.sluice.rules.internal;

import io.sluice.rules.Attributes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose count it is, as text: {@code tenant=a&user=u-17}. An attribute that is missing counts by the client's address
 * instead, {@code user~ip=192.0.2.7}, or where there is none in one shared count, {@code user~}.
 *
 * <p>No two tuples of names and values make the same key: everything that could be taken for a separator, and everything
 * that does not survive UTF-8, is written as {@code %} and four hexadecimal digits. Keys longer than 200 characters are
 * replaced by {@code #} and their SHA-256, so that a caller cannot fill memory with them.
 */
public final class CountKeys {

    private static final int LONGEST = 200;
    private static final String ESCAPED = "%&=~#:{} ";

    private CountKeys() {}

    public static String key(List<String> by, Attributes request) {
        if (by.isEmpty()) {
            return "";
        }
        StringBuilder key = new StringBuilder();
        for (String name : by) {
            if (!key.isEmpty()) {
                key.append('&');
            }
            escape(name, key);
            append(name, request, key);
        }
        return key.length() > LONGEST ? hash(key.toString()) : key.toString();
    }

    private static void append(String name, Attributes request, StringBuilder key) {
        String value = counted(name, request);
        if (value != null) {
            escape(value, key.append('='));
            return;
        }
        key.append('~');
        String address = counted("ip", request);
        if (address != null) {
            escape(address, key.append("ip="));
        }
    }

    private static @Nullable String counted(String name, Attributes request) {
        String value = request.get(name);
        return value != null && name.equals("ip") ? ClientAddress.counted(value) : value;
    }

    private static void escape(String text, StringBuilder key) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                key.append(c).append(text.charAt(++i));
            } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c) || ESCAPED.indexOf(c) >= 0) {
                key.append('%').append(HexFormat.of().toHexDigits(c));
            } else {
                key.append(c);
            }
        }
    }

    private static String hash(String key) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return "#" + HexFormat.of().formatHex(sha.digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
