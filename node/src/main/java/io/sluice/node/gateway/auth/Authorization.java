package io.sluice.node.gateway.auth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The value of an {@code Authorization} header (RFC 9110, section 11.6.2). A value is ambiguous if it shows no token here but a lenient
 * upstream might find one in it, such as {@code Bearer} with a tab after it.
 *
 * @param token the bearer token; null if there is none or the header has another scheme
 */
record Authorization(@Nullable String token, boolean isAmbiguous) {

    static final Authorization NONE = new Authorization(null, false);

    private static final Authorization AMBIGUOUS = new Authorization(null, true);
    private static final String BEARER = "bearer";
    private static final String NAME_MARKS = "!#$%&'*+-.^_`|~";

    static Authorization read(String value) {
        int end = 0;
        while (end < value.length() && isNameCharacter(value.charAt(end))) {
            end++;
        }
        if (value.isEmpty()) {
            return NONE;
        }
        if (end == 0 || (end < value.length() && value.charAt(end) != ' ')) {
            return AMBIGUOUS;
        }
        String scheme = value.substring(0, end).toLowerCase(Locale.ROOT);
        if (scheme.equals(BEARER)) {
            return new Authorization(value.substring(end).trim(), false);
        }
        return scheme.startsWith(BEARER) || hidesBearer(value, end) ? AMBIGUOUS : NONE;
    }

    /** Returns whether a bearer token follows the credential of another scheme, after a comma or semicolon. */
    private static boolean hidesBearer(String value, int from) {
        for (int i = from; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c == ',' || c == ';')
                    && value.substring(i + 1).stripLeading().regionMatches(true, 0, BEARER, 0, BEARER.length())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the character may be part of a scheme's name. */
    private static boolean isNameCharacter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || NAME_MARKS.indexOf(c) >= 0;
    }
}
