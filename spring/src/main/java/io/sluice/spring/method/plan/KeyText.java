package io.sluice.spring.method.plan;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Converts keys to text. Different keys get different texts if the texts of their parts differ. */
final class KeyText {

    /**
     * True for a class with a {@code toString} of its own. The {@code toString} of {@link Object} differs for every object, so
     * a limit that counts by it would limit no caller.
     */
    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return !type.isArray()
                        && !type.getMethod("toString").getDeclaringClass().equals(Object.class);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private KeyText() {}

    /**
     * Returns the text of a key. Null stays null, and a list with a null part becomes null.
     *
     * @throws IllegalArgumentException if the value has no text of its own; the message is complete
     */
    static @Nullable String text(@Nullable Object value) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null));
        }
        if (value instanceof List<?> list) {
            return joined(list);
        }
        if (value instanceof Principal principal) {
            return principal.getName();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (!HAS_TEXT.get(value.getClass())) {
            throw new IllegalArgumentException("key: a " + value.getClass().getTypeName()
                    + " (expected: text, a number, or a type that overrides toString)");
        }
        return value.toString();
    }

    private static @Nullable String joined(List<?> parts) {
        StringJoiner all = new StringJoiner(",");
        for (Object part : parts) {
            String text = text(part);
            if (text == null) {
                return null;
            }
            all.add(text.replace("\\", "\\\\").replace(",", "\\,"));
        }
        return all.toString();
    }
}
