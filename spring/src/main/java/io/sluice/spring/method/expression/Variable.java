package io.sluice.spring.method.expression;

import io.sluice.spring.CurrentRequest;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;

/** A variable that expressions of a method may use. */
public sealed interface Variable extends CallValue {

    /** An argument by its position. */
    record Argument(int position) implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            return call.argument(position);
        }
    }

    /** The authenticated caller. */
    record Caller() implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            CurrentRequest request = call.request();
            return request == null ? null : request.principal();
        }
    }

    /** The request that the call belongs to. */
    record Request() implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            return call.request();
        }
    }

    /** The result of the call; known after its end. */
    record Result() implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            return call.result();
        }
    }

    /** Returns all variables that are known after the end of a call: the arguments, and the result even if an argument has its name. */
    static Map<String, Variable> afterwards(Method method) {
        Map<String, Variable> all = arguments(method);
        all.put("result", new Result());
        return all;
    }

    /** Returns all variables of a method by name. An argument takes precedence over another variable of the same name. */
    static Map<String, Variable> of(Method method) {
        Map<String, Variable> all = arguments(method);
        all.putIfAbsent("principal", new Caller());
        all.putIfAbsent("request", new Request());
        return all;
    }

    private static Map<String, Variable> arguments(Method method) {
        Map<String, Variable> all = new LinkedHashMap<>();
        String[] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        // The compiler appends the continuation of a Kotlin suspend function to its arguments.
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        for (int i = 0; names != null && i < Math.min(count, names.length); i++) {
            all.put(names[i], new Argument(i));
        }
        for (int i = 0; i < count; i++) {
            all.putIfAbsent("p" + i, new Argument(i));
            all.putIfAbsent("a" + i, new Argument(i));
        }
        return all;
    }
}
