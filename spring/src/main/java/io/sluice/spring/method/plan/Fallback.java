package io.sluice.spring.method.plan;

import io.sluice.spring.RateLimitExceededException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that answers the refused calls of a limited method. If the limited method is a Kotlin suspend function, the fallback may also
 * be one. Immutable.
 */
public final class Fallback {

    private final Method method;
    private final boolean takesRefusal;
    private final int parameters;
    private final boolean takesContinuation;

    private Fallback(Method method, Signature signature, boolean takesRefusal) {
        this.method = method;
        this.takesRefusal = takesRefusal;
        this.parameters = signature.parameters().size() - (takesRefusal ? 1 : 0);
        this.takesContinuation = signature.suspends();
        ReflectionUtils.makeAccessible(method);
    }

    /**
     * Finds the fallback by name and prefers a method that takes the exception.
     *
     * @throws IllegalArgumentException if there is none; its message is complete
     */
    static Fallback find(String name, Method limited, Class<?> type) {
        Signature expected = Signature.of(limited);
        for (boolean takesRefusal : new boolean[] {true, false}) {
            for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
                if (!candidate.getName().equals(name) || candidate.equals(limited)) {
                    continue;
                }
                Signature own = Signature.of(candidate);
                if (matches(own.parameters(), expected.parameters(), takesRefusal)) {
                    check(name, own, expected);
                    return new Fallback(candidate, own, takesRefusal);
                }
            }
        }
        throw new IllegalArgumentException("fallback: " + name + " (expected: a method of "
                + type.getSimpleName() + " with the parameters " + expected.text()
                + ", optionally followed by RateLimitExceededException)");
    }

    private static boolean matches(List<Class<?>> own, List<Class<?>> limited, boolean takesRefusal) {
        int more = takesRefusal ? 1 : 0;
        if (own.size() != limited.size() + more) {
            return false;
        }
        for (int i = 0; i < limited.size(); i++) {
            if (!own.get(i).isAssignableFrom(limited.get(i))) {
                return false;
            }
        }
        if (!takesRefusal) {
            return true;
        }
        Class<?> last = own.get(own.size() - 1);
        return Throwable.class.isAssignableFrom(last) && last.isAssignableFrom(RateLimitExceededException.class);
    }

    private static void check(String name, Signature own, Signature expected) {
        if (own.suspends() && !expected.suspends()) {
            throw new IllegalArgumentException(
                    "fallback: " + name + " is a suspend function (expected: a plain one, like the limited method)");
        }
        Class<?> result = expected.result();
        if (result != void.class && !ClassUtils.isAssignable(result, own.result())) {
            throw new IllegalArgumentException("fallback: " + name + " returns "
                    + own.result().getSimpleName() + " (expected: " + result.getSimpleName() + ")");
        }
    }

    /** Calls the fallback. The answer of a suspend function is a publisher. */
    @Nullable
    public Object answer(@Nullable Object target, @Nullable Object[] arguments, RateLimitExceededException refusal)
            throws Throwable {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments).subList(0, parameters));
        if (takesRefusal) {
            all.add(refusal);
        }
        if (takesContinuation) {
            all.add(arguments[arguments.length - 1]);
        }
        return AopUtils.invokeJoinpointUsingReflection(target, method, all.toArray());
    }
}
