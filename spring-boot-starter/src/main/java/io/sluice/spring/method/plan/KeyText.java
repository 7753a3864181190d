package io.sluice.spring.method.plan;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The text of a key. Two keys that differ have texts that differ, as far as their own texts do. */
final class KeyText {

    /** Whether a class has a text of its own: that of {@link Object} is another one for every object, and would limit nobody. */
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

    /** Null stays null; so does a list of which a part is. The {@link IllegalArgumentException} has the whole message. */
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
                    + " (expected: text, a number, or a type with toString)");
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
