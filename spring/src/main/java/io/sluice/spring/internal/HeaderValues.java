package io.sluice.spring.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import org.springframework.http.HttpHeaders;

/**
 * Reads all values of a header. Spring 6 declares {@code HttpHeaders.getOrEmpty(Object)}, because its headers are a map, and
 * Spring 7 declares {@code getOrEmpty(String)}. A call that is compiled against one version does not link with the other.
 * Stateless.
 */
public final class HeaderValues {

    private static final MethodHandle GET_OR_EMPTY = find();

    private HeaderValues() {}

    /** Returns the values in the order of their lines; empty if there are none. */
    @SuppressWarnings("unchecked")
    public static List<String> of(HttpHeaders headers, String name) {
        try {
            return (List<String>) GET_OR_EMPTY.invokeExact(headers, name);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle find() {
        MethodType wanted = MethodType.methodType(List.class, HttpHeaders.class, String.class);
        try {
            return find(String.class).asType(wanted);
        } catch (NoSuchMethodException spring6) {
            try {
                return find(Object.class).asType(wanted);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("neither Spring 6 nor Spring 7: HttpHeaders has no getOrEmpty", e);
            }
        }
    }

    private static MethodHandle find(Class<?> name) throws NoSuchMethodException {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(HttpHeaders.class, "getOrEmpty", MethodType.methodType(List.class, name));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
