package io.sluice.node.access;

import io.sluice.node.gateway.auth.AuthUnreadableException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Valid bearer tokens. Only their hashes are kept. Immutable. */
final class TokenSet {

    static final int SHORTEST = 16;
    static final int LONGEST = 1_024;

    /** The maximum number of tokens. Every request is compared with every token. */
    static final int MOST = 1_000;

    /** The characters that RFC 6750, section 2.1, permits. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private static final String SCHEME = "Bearer ";

    private final List<byte[]> hashes;

    private TokenSet(List<byte[]> hashes) {
        this.hashes = List.copyOf(hashes);
    }

    /** Reads one token per line, and skips empty lines and lines that start with #. Errors never show a token. */
    static TokenSet read(String file, String text) throws AuthUnreadableException {
        List<byte[]> hashes = new ArrayList<>();
        int number = 0;
        for (String line :
                (text.startsWith("\uFEFF") ? text.substring(1) : text).lines().toList()) {
            number++;
            String token = line.strip();
            if (token.isEmpty() || token.startsWith("#")) {
                continue;
            }
            if (token.length() < SHORTEST || token.length() > LONGEST) {
                throw refusal(file, number, "token with " + token.length() + " characters", SHORTEST + ".." + LONGEST);
            }
            if (!TOKEN.matcher(token).matches()) {
                throw refusal(
                        file,
                        number,
                        "token with characters that no header carries",
                        "letters, digits and - . _ ~ + /");
            }
            if (hashes.size() == MOST) {
                throw refusal(file, number, "too many tokens", "at most " + MOST);
            }
            hashes.add(hash(token));
        }
        if (hashes.isEmpty()) {
            throw refusal(file, Math.max(1, number), "no token", "one per line, such as openssl rand -hex 32 prints");
        }
        return new TokenSet(hashes);
    }

    /**
     * Returns whether the values of the Authorization header are one valid token. The duration does not depend on how much of a token is
     * correct.
     */
    boolean admits(List<String> authorizations) {
        if (authorizations.size() != 1) {
            return false;
        }
        String shown = authorizations.get(0);
        if (!shown.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        byte[] hash = hash(shown.substring(SCHEME.length()).strip());
        boolean found = false;
        for (byte[] each : hashes) {
            found |= MessageDigest.isEqual(each, hash);
        }
        return found;
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static AuthUnreadableException refusal(String file, int line, String what, String expected) {
        return new AuthUnreadableException(file + ":" + line + ": " + what + " (expected: " + expected + ")");
    }
}
