package io.sluice.spring.method.plan;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Makes rule ids from names in code. The ids are the same at every start. If a name does not fit into an id, part of a hash keeps
 * ids distinct.
 */
public final class RuleIds {

    private static final int LONGEST = 128;
    private static final int HASH_BYTES = 4;

    private RuleIds() {}

    /** Returns the id for a method. Overloaded methods are distinguished by their parameters. */
    static String of(Class<?> type, Method method) {
        Class<?> owner = declaring(type, method);
        String id = owner.getName() + "." + method.getName();
        boolean overloaded = Stream.concat(
                                Arrays.stream(owner.getMethods()),
                                Arrays.stream(ReflectionUtils.getAllDeclaredMethods(owner)))
                        .filter(other -> other.getName().equals(method.getName()) && isOwn(other))
                        .map(other -> List.of(other.getParameterTypes()))
                        .distinct()
                        .count()
                > 1;
        return overloaded ? legal(id, id + Arrays.toString(method.getParameterTypes()), true) : of(id);
    }

    /** Returns the id for a class. A class generated at run time gets the id of its first interface. */
    static String of(Class<?> type) {
        return of(isMade(type) && type.getInterfaces().length > 0 ? type.getInterfaces()[0].getName() : type.getName());
    }

    /** Classes generated at run time have a different name at every start. Their interface keeps its name. */
    private static Class<?> declaring(Class<?> type, Method method) {
        if (isMade(type)) {
            for (Class<?> each : type.getInterfaces()) {
                Method declared = ReflectionUtils.findMethod(each, method.getName(), method.getParameterTypes());
                if (declared != null) {
                    return declared.getDeclaringClass();
                }
            }
        }
        return ClassUtils.getUserClass(type);
    }

    private static boolean isMade(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden();
    }

    private static boolean isOwn(Method method) {
        return !method.isSynthetic() && !Modifier.isPrivate(method.getModifiers());
    }

    /** Returns the id for any text. */
    public static String of(String text) {
        return legal(text, text, false);
    }

    /** Returns a name for callers that does not reveal names in code. It is the same at every start. */
    static String opaque(String id) {
        return "method-" + hash(id);
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
            changed |= !isLegal(c);
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
