package io.sluice.rules.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script without its comments, which Redis does not need, and the digest by which Redis identifies it.
 *
 * @param digest the SHA-1 of the text
 */
record Script(String text, String digest) {

    static Script load(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + ": missing from the jar (expected: a resource)");
            }
            String text =
                    new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)^\\s*--.*\\n|^\\s+", "");
            String digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
            return new Script(text, digest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 is missing; every JDK must provide it", e);
        }
    }
}
