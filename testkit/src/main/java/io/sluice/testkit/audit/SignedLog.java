package io.sluice.testkit.audit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A signed audit log that a test can extend, rewrite and cut. It returns checkpoints in the JSON of the heartbeat. Hashes and proofs follow
 * the recursive definitions of RFC 9162, section 2.1, and share no code with the program. Not thread-safe.
 */
public final class SignedLog {

    private static final HexFormat HEX = HexFormat.of();

    private final String id;
    private final List<String> rows;
    private final List<String> changes;
    private KeyPair key;

    private SignedLog(String id, KeyPair key, List<String> rows, List<String> changes) {
        this.id = id;
        this.key = key;
        this.rows = new ArrayList<>(rows);
        this.changes = new ArrayList<>(changes);
    }

    /** Starts a log with a number of rows, and a key of its own. */
    public static SignedLog of(int size) {
        SignedLog log = new SignedLog(UUID.randomUUID().toString().replace("-", ""), newKey(), List.of(), List.of());
        return log.add(size);
    }

    /** Returns a copy with the same id, rows and key, which can be changed independently. */
    public SignedLog copy() {
        return new SignedLog(id, key, rows, changes);
    }

    /** Adds rows. */
    public SignedLog add(int more) {
        for (int i = 0; i < more; i++) {
            rows.add("row " + (rows.size() + 1));
        }
        return this;
    }

    /** Changes a row. The first row has the number 1. */
    public SignedLog rewrite(int number) {
        rows.set(number - 1, rows.get(number - 1) + ", rewritten");
        return this;
    }

    /** Removes all rows beyond this number. */
    public SignedLog cut(int size) {
        rows.subList(size, rows.size()).clear();
        return this;
    }

    /** Changes the key. The previous key signs the change. */
    public SignedLog changeKey() {
        KeyPair next = newKey();
        changes.add(change(key, next));
        key = next;
        return this;
    }

    /** Takes another key. The new key pretends to be the previous key. */
    public SignedLog forgeKey() {
        KeyPair next = newKey();
        changes.add(change(key, next)
                .replaceFirst(
                        "\"signature\":\"[^\"]*\"", "\"signature\":\"" + sign(next, changeText(key, next)) + "\""));
        key = next;
        return this;
    }

    /** Takes another key without announcing it. */
    public SignedLog swapKey() {
        key = newKey();
        return this;
    }

    /** Returns the id of the log. */
    public String id() {
        return id;
    }

    /** Returns the number of rows. */
    public int size() {
        return rows.size();
    }

    /** Returns the root over the first rows. */
    public String root(int size) {
        return HEX.formatHex(root(rows.subList(0, size)));
    }

    /** Returns the id of the key. */
    public String keyId() {
        return keyId(key);
    }

    /**
     * Returns the part that a center adds to its answer.
     *
     * @param atMillis the time at which the checkpoint is signed
     * @param held the sizes that nodes hold; the offer has a proof for each size that is not larger than the log
     */
    public String offer(long atMillis, long... held) {
        String proofs = LongStream.of(held)
                .filter(size -> size > 0 && size <= rows.size())
                .mapToObj(size -> "{\"from\":" + size + ",\"hashes\":" + list(proof((int) size, rows, true)) + "}")
                .collect(Collectors.joining(","));
        return "{\"checkpoint\":" + checkpoint(atMillis) + ",\"key\":\"" + text(key) + "\",\"changes\":["
                + String.join(",", changes) + "],\"proofs\":[" + proofs + "]}";
    }

    /** Returns the whole answer of a center that counts one node. */
    public String answer(long atMillis, long... held) {
        return "{\"nodes\":1,\"version\":0,\"digest\":\"\",\"at\":" + atMillis + ",\"audit\":" + offer(atMillis, held)
                + "}";
    }

    private String checkpoint(long atMillis) {
        String root = root(rows.size());
        String signed = "sluice-audit-checkpoint-1\n" + id + "\n" + rows.size() + "\n" + root + "\n" + atMillis + "\n";
        return "{\"log\":\"" + id + "\",\"size\":" + rows.size() + ",\"root\":\"" + root + "\",\"at\":" + atMillis
                + ",\"key\":\"" + keyId(key) + "\",\"signature\":\"" + sign(key, signed) + "\"}";
    }

    private String change(KeyPair before, KeyPair next) {
        return "{\"log\":\"" + id + "\",\"before\":\"" + keyId(before) + "\",\"next\":\"" + text(next)
                + "\",\"signature\":\"" + sign(before, changeText(before, next)) + "\"}";
    }

    private String changeText(KeyPair before, KeyPair next) {
        return "sluice-audit-key-1\n" + id + "\n" + keyId(before) + "\n" + text(next) + "\n";
    }

    private static String list(List<byte[]> hashes) {
        return hashes.stream()
                .map(hash -> "\"" + HEX.formatHex(hash) + "\"")
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** Computes the function MTH of the RFC. */
    private static byte[] root(List<String> leaves) {
        if (leaves.isEmpty()) {
            return hash();
        }
        if (leaves.size() == 1) {
            return hash(new byte[] {0}, leaves.get(0).getBytes(StandardCharsets.UTF_8));
        }
        int left = left(leaves.size());
        return hash(new byte[] {1}, root(leaves.subList(0, left)), root(leaves.subList(left, leaves.size())));
    }

    /** Computes the function SUBPROOF of the RFC. */
    private static List<byte[]> proof(int from, List<String> leaves, boolean whole) {
        if (from == leaves.size()) {
            return whole ? List.of() : List.of(root(leaves));
        }
        int left = left(leaves.size());
        List<String> first = leaves.subList(0, left);
        List<String> second = leaves.subList(left, leaves.size());
        List<byte[]> hashes;
        if (from <= left) {
            hashes = new ArrayList<>(proof(from, first, whole));
            hashes.add(root(second));
        } else {
            hashes = new ArrayList<>(proof(from - left, second, false));
            hashes.add(root(first));
        }
        return hashes;
    }

    /** Returns the largest power of two below the size. */
    private static int left(int size) {
        return Integer.highestOneBit(size - 1);
    }

    private static byte[] hash(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKey() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(KeyPair of) {
        return Base64.getEncoder().encodeToString(of.getPublic().getEncoded());
    }

    private static String keyId(KeyPair of) {
        return HEX.formatHex(hash(of.getPublic().getEncoded()), 0, 8);
    }

    private static String sign(KeyPair by, String text) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(by.getPrivate());
            signature.update(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
