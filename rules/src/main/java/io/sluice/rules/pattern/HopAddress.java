package io.sluice.rules.pattern;

import org.jspecify.annotations.Nullable;

/** Parses an address from a proxy header, where it may have brackets and a port. */
public final class HopAddress {

    private HopAddress() {}

    /**
     * Parses an entry of {@code X-Forwarded-For}: {@code 192.0.2.7}, {@code 192.0.2.7:80}, {@code 2001:db8::7}, {@code
     * [2001:db8::7]:80}. Returns null if it is not an address.
     */
    public static @Nullable Address read(String given) {
        String text = trimmed(given);
        Address plain = Address.parse(text).orElse(null);
        return plain != null ? plain : readNode(text);
    }

    /** Parses a node as in RFC 7239, where IPv6 is always in brackets. Returns null if it is not an address. */
    public static @Nullable Address readNode(String text) {
        int close = text.startsWith("[") ? text.indexOf(']') : -1;
        int colon = close >= 0 ? close + 1 : text.indexOf(':');
        int end = colon < 0 ? text.length() : colon;
        if (end < text.length() && !isPort(text, end)) {
            return null;
        }
        String literal = close >= 0 ? text.substring(1, close) : text.substring(0, end);
        return (literal.indexOf(':') >= 0) == (close >= 0)
                ? Address.parse(literal).orElse(null)
                : null;
    }

    /** Returns whether a colon and a number, or an obfuscated port, follow. */
    private static boolean isPort(String text, int colon) {
        int digits = text.length() - colon - 1;
        if (text.charAt(colon) != ':' || digits == 0) {
            return false;
        }
        boolean obfuscated = text.charAt(colon + 1) == '_';
        for (int i = colon + (obfuscated ? 2 : 1); i < text.length(); i++) {
            char c = text.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
            if (!digit && !(obfuscated && letter)) {
                return false;
            }
        }
        return obfuscated ? digits > 1 : digits <= 5;
    }

    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
