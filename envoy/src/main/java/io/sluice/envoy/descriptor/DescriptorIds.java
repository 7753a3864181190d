package io.sluice.envoy.descriptor;

import io.sluice.envoy.descriptor.EnvoyDescriptor.Entry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Makes ids for rules that were written as descriptors, such as {@code edge.user} and {@code edge.user_vip.path}. An id depends
 * only on the domain and the path, so counts survive every other change of the file.
 *
 * <p>If the id would be too long, or a part contains other characters than letters, digits and dashes, the id ends with two underscores and
 * a hash. Characters before the hash that ids cannot have become dashes. Plain ids never contain two underscores in a row, so no two paths
 * share an id.
 */
final class DescriptorIds {

    private static final int LONGEST = 110;
    private static final int KEPT = 80;
    private static final int HASHED = 12;

    private DescriptorIds() {}

    static String of(String domain, List<Entry> path) {
        StringBuilder id = new StringBuilder();
        boolean plain = append(domain, id);
        for (Entry entry : path) {
            plain &= append(entry.key(), id.append('.'));
            if (entry.value().isPresent()) {
                plain &= append(entry.value().get(), id.append('_'));
            }
        }
        if (plain && id.length() <= LONGEST) {
            return id.toString();
        }
        return id.substring(0, Math.min(KEPT, id.length())) + "__" + hash(domain, path);
    }

    private static boolean append(String text, StringBuilder id) {
        boolean plain = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
            plain &= letter;
            id.append(letter || c == '_' ? c : '-');
        }
        return plain;
    }

    private static String hash(String domain, List<Entry> path) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            feed(sha, 'd', domain);
            for (Entry entry : path) {
                feed(sha, 'k', entry.key());
                entry.value().ifPresent(value -> feed(sha, 'v', value));
            }
            return HexFormat.of().formatHex(sha.digest()).substring(0, HASHED);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void feed(MessageDigest sha, char kind, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        sha.update((byte) kind);
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        sha.update(bytes);
    }
}
