package io.sluice.spring.method.expression;

import io.sluice.spring.CurrentRequest;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;

/** What expressions of a method may name. */
public sealed interface Variable extends CallValue {

    /** An argument by its position. */
    record Argument(int position) implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            return call.argument(position);
        }
    }

    /** Who is verified to call. */
    record Caller() implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            CurrentRequest request = call.request();
            return request == null ? null : request.principal();
        }
    }

    /** The request that the call works for. */
    record Request() implements Variable {
        @Override
        public @Nullable Object of(Call call) {
            return call.request();
        }
    }

    /** All of a method, by their names; an argument comes before what else has its name. */
    static Map<String, Variable> of(Method method) {
        Map<String, Variable> all = new LinkedHashMap<>();
        String[] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        for (int i = 0; names != null && i < names.length; i++) {
            all.put(names[i], new Argument(i));
        }
        for (int i = 0; i < method.getParameterCount(); i++) {
            all.putIfAbsent("p" + i, new Argument(i));
            all.putIfAbsent("a" + i, new Argument(i));
        }
        all.putIfAbsent("principal", new Caller());
        all.putIfAbsent("request", new Request());
        return all;
    }
}
