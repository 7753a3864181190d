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

/** Makes ids of rules from names in code, the same at every start. What an id cannot have is told apart by a part of a hash. */
final class RuleIds {

    private static final int LONGEST = 128;
    private static final int HASH_BYTES = 4;

    private RuleIds() {}

    /** Of a method; one that is overloaded is told apart by its parameters. */
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

    /** Of a class; one that was made at run time goes by its first interface. */
    static String of(Class<?> type) {
        return of(isMade(type) && type.getInterfaces().length > 0 ? type.getInterfaces()[0].getName() : type.getName());
    }

    /** The names of classes made at run time are others at every start: their interface is what stays. */
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
