package io.sluice.center.signin;

import io.sluice.center.access.Access;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;

/** The token with an administrator's rights, in a file that only its owner can read. Only a hash of the token is kept in memory. */
public final class AdminToken {

    private static final int SHORTEST = 32;
    private static final int LONGEST = 1_000;
    private static final int RANDOM_BYTES = 32;

    private final byte[] hash;
    private final Path file;

    private AdminToken(byte[] hash, Path file) {
        this.hash = hash;
        this.file = file;
    }

    /** Reads the token of a file. */
    public static AdminToken read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("admin-token-file: " + file
                    + " is not a file (expected: a file with a token of at least " + SHORTEST + " characters)");
        }
        if (Files.size(file) > LONGEST) {
            throw new IOException(
                    "admin-token-file: " + file + " is too long (expected: at most " + LONGEST + " bytes)");
        }
        String token = Files.readString(file, StandardCharsets.UTF_8).strip();
        if (token.length() < SHORTEST || !token.chars().allMatch(each -> each > ' ' && each < 127)) {
            throw new IOException("admin-token-file: " + file
                    + " has no usable token (expected: at least " + SHORTEST
                    + " printable characters, such as the output of"
                    + " openssl rand -hex 32)");
        }
        return new AdminToken(sha256(token), file);
    }

    /** Reads the token of a data directory, and creates it at the first start. */
    public static AdminToken of(Path data) throws IOException {
        Path file = data.resolve("admin-token");
        if (!Files.exists(file)) {
            byte[] random = new byte[RANDOM_BYTES];
            new SecureRandom().nextBytes(random);
            create(file, Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n");
        }
        return read(file);
    }

    /** Returns the file that contains the token. */
    public Path file() {
        return file;
    }

    /** Returns the rights of the bearer of a token; empty if it is not this token. */
    public Optional<Access> access(String token) {
        return MessageDigest.isEqual(hash, sha256(token)) ? Optional.of(Access.MACHINE) : Optional.empty();
    }

    private static void create(Path file, String text) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = Files.newByteChannel(
                file, options, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(java.nio.ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException e) {
            // Another process created the file in the meantime.
        }
    }

    private static byte[] sha256(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every JDK must provide it", e);
        }
    }
}
