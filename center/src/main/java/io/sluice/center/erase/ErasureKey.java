package io.sluice.center.erase;

import io.sluice.center.database.PrivateFile;
import io.sluice.center.personal.SubjectText;
import io.sluice.runtime.erasure.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.json.JsonMapper;

/**
 * Hashes and encrypts subjects. Its secret is a file in the data directory, so neither the database nor a backup reveals erased
 * subjects. Immutable.
 */
final class ErasureKey {

    /** The name of the file in the data directory. */
    static final String FILE = "erasure-key";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Pattern TEXT = Pattern.compile("[0-9a-f]{64}");
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec hashing;
    private final SecretKeySpec sealing;

    private ErasureKey(byte[] secret) {
        SecretKeySpec root = new SecretKeySpec(secret, "HmacSHA256");
        this.hashing = new SecretKeySpec(mac(root, "sluice-erasure-hash-1"), "HmacSHA256");
        this.sealing = new SecretKeySpec(mac(root, "sluice-erasure-seal-1"), "AES");
    }

    static boolean exists(Path data) {
        return Files.exists(data.resolve(FILE));
    }

    /**
     * Reads the key of a data directory. The first call creates it.
     *
     * @throws IOException with one line for the user
     */
    static ErasureKey of(Path data) throws IOException {
        Path file = data.resolve(FILE);
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            if (!TEXT.matcher(text).matches()) {
                throw new IOException(file + ": not readable (expected: 64 hexadecimal digits, as a center wrote them;"
                        + " copy the file from a backup of the data directory)");
            }
            return new ErasureKey(HexFormat.of().parseHex(text));
        } catch (NoSuchFileException e) {
            byte[] secret = new byte[KEY_BYTES];
            RANDOM.nextBytes(secret);
            PrivateFile.write(file, HexFormat.of().formatHex(secret) + "\n");
            return new ErasureKey(secret);
        }
    }

    /** Returns a text by which centers recognise that they have the same key. */
    String check() {
        return hash("check");
    }

    /** Returns the hash of a caller: a value of an attribute in its {@linkplain SubjectText#canonical canonical} form. */
    String caller(String attribute, String value) {
        return hash("subject", attribute, SubjectText.canonical(attribute, value));
    }

    /** Returns the hash of the hash under which nodes know a caller. */
    String hashedCaller(String hash) {
        return hash("caller", hash);
    }

    /** Returns the hash of a stored text at its place. */
    String text(String table, long id, String column, String text) {
        return hash("text", table, Long.toString(id), column, text);
    }

    /** Encrypts a subject for one erasure. */
    String seal(Subject subject, String subjectHash) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("attribute", subject.attribute());
        fields.put("value", subject.value());
        fields.put("known", subject.known());
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, subjectHash).doFinal(JSON.writeValueAsBytes(fields));
            byte[] all = Arrays.copyOf(nonce, nonce.length + sealed.length);
            System.arraycopy(sealed, 0, all, nonce.length, sealed.length);
            return Base64.getEncoder().encodeToString(all);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES is missing; every Java runtime must provide it", e);
        }
    }

    /** Decrypts a subject; empty if it was sealed with another key, or for another erasure. */
    Optional<Subject> open(String sealed, String subjectHash) {
        try {
            byte[] all = Base64.getDecoder().decode(sealed);
            if (all.length <= NONCE_BYTES) {
                return Optional.empty();
            }
            byte[] text = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(all, NONCE_BYTES), subjectHash)
                    .doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
            var fields = JSON.readTree(text);
            Map<String, String> known = new TreeMap<>();
            fields.get("known")
                    .properties()
                    .forEach(each -> known.put(each.getKey(), each.getValue().asString()));
            return Optional.of(new Subject(
                    fields.get("attribute").asString(), fields.get("value").asString(), known));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String subjectHash) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, sealing, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(subjectHash.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /** Prefixes each part with its length, so that different lists of parts never have the same hash. */
    private String hash(String... parts) {
        StringBuilder text = new StringBuilder();
        for (String part : parts) {
            text.append(part.length()).append(':').append(part);
        }
        return HexFormat.of().formatHex(mac(hashing, text.toString()));
    }

    private static byte[] mac(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is missing; every Java runtime must provide it", e);
        }
    }
}
