package io.sluice.spring.method.plan;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;

/**
 * The signature of a method in its source code. The compiler appends a continuation to the parameters of a suspend function of
 * Kotlin, and hides its return type.
 *
 * @param result the return type; {@code void} if there is none
 */
record Signature(boolean suspends, List<Class<?>> parameters, Class<?> result) {

    Signature {
        parameters = List.copyOf(parameters);
    }

    static Signature of(Method method) {
        List<Class<?>> all = Arrays.asList(method.getParameterTypes());
        return KotlinDetector.isSuspendingFunction(method)
                ? new Signature(
                        true, all.subList(0, all.size() - 1), new MethodParameter(method, -1).getParameterType())
                : new Signature(false, all, method.getReturnType());
    }

    /** Returns the parameters for messages: {@code (String, long)}. */
    String text() {
        return "("
                + String.join(
                        ", ", parameters.stream().map(Class::getSimpleName).toList()) + ")";
    }
}
