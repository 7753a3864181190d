package io.sluice.spring.method.plan;

import io.sluice.spring.RateLimitExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** The method that answers the refused calls of a limited method. Immutable. */
public final class Fallback {

    private final Method method;
    private final boolean takesRefusal;

    private Fallback(Method method, boolean takesRefusal) {
        this.method = method;
        this.takesRefusal = takesRefusal;
        ReflectionUtils.makeAccessible(method);
    }

    /**
     * Finds the fallback by name and prefers one that takes the exception.
     *
     * @throws IllegalArgumentException if there is none; its message is complete
     */
    static Fallback find(String name, Method limited, Class<?> type) {
        Class<?>[] parameters = limited.getParameterTypes();
        for (boolean takesRefusal : new boolean[] {true, false}) {
            for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
                if (candidate.getName().equals(name)
                        && !candidate.equals(limited)
                        && matches(candidate.getParameterTypes(), parameters, takesRefusal)) {
                    return checked(new Fallback(candidate, takesRefusal), limited);
                }
            }
        }
        throw new IllegalArgumentException("fallback: " + name + " (expected: a method of "
                + type.getSimpleName() + " with the parameters " + signature(parameters)
                + ", optionally followed by RateLimitExceededException)");
    }

    private static boolean matches(Class<?>[] own, Class<?>[] limited, boolean takesRefusal) {
        int more = takesRefusal ? 1 : 0;
        if (own.length != limited.length + more) {
            return false;
        }
        for (int i = 0; i < limited.length; i++) {
            if (!own[i].isAssignableFrom(limited[i])) {
                return false;
            }
        }
        if (!takesRefusal) {
            return true;
        }
        Class<?> last = own[own.length - 1];
        return Throwable.class.isAssignableFrom(last) && last.isAssignableFrom(RateLimitExceededException.class);
    }

    private static Fallback checked(Fallback fallback, Method limited) {
        Class<?> expected = limited.getReturnType();
        if (expected != void.class && !expected.isAssignableFrom(fallback.method.getReturnType())) {
            throw new IllegalArgumentException("fallback: " + fallback.method.getName() + " returns "
                    + fallback.method.getReturnType().getSimpleName() + " (expected: " + expected.getSimpleName()
                    + ")");
        }
        return fallback;
    }

    private static String signature(Class<?>[] parameters) {
        return Arrays.stream(parameters)
                .map(Class::getSimpleName)
                .toList()
                .toString()
                .replace('[', '(')
                .replace(']', ')');
    }

    @Nullable
    public Object answer(@Nullable Object target, @Nullable Object[] arguments, RateLimitExceededException refusal)
            throws Throwable {
        Object[] all = arguments;
        if (takesRefusal) {
            all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = refusal;
        }
        try {
            return method.invoke(target, all);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNullElse(e.getCause(), e);
        }
    }
}
