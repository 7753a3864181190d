package io.sluice.spring.method;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.springframework.util.ClassUtils;

/** Makes ids of rules from names in code, the same at every start. What an id cannot have is told apart by a part of a hash. */
final class RuleIds {

    private static final int LONGEST = 128;
    private static final int HASH_BYTES = 4;

    private RuleIds() {}

    /** Of a method; one that is overloaded is told apart by its parameters. */
    static String of(Class<?> type, Method method) {
        String id = type.getName() + "." + method.getName();
        boolean overloaded = Arrays.stream(ClassUtils.getUserClass(type).getMethods())
                        .filter(other -> other.getName().equals(method.getName()) && !other.isBridge())
                        .count()
                > 1;
        return overloaded ? legal(id, id + Arrays.toString(method.getParameterTypes()), true) : of(id);
    }

    /** Of any text. */
    static String of(String text) {
        return legal(text, text, false);
    }

    static boolean isLegal(String id) {
        return !id.isEmpty() && id.length() <= LONGEST && id.chars().allMatch(RuleIds::isLegal);
    }

    private static String legal(String text, String whole, boolean hashed) {
        StringBuilder id = new StringBuilder(text.length());
        boolean changed = hashed;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            id.append(isLegal(c) ? c : c == '$' ? '.' : '_');
            changed |= !isLegal(c) && c != '$';
        }
        String hash = "-" + hash(whole);
        if (changed || id.isEmpty() || id.length() > LONGEST) {
            id.setLength(Math.min(id.length(), LONGEST - hash.length()));
            id.append(hash);
        }
        return id.toString();
    }

    private static boolean isLegal(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-_.".indexOf(c) >= 0;
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
