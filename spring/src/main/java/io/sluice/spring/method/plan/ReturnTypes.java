package io.sluice.spring.method.plan;

import io.sluice.spring.method.plan.MethodPlan.Ending;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** Determines the end of a method's calls from its return type. Rejects types whose end cannot be observed. Stateless. */
final class ReturnTypes {

    private static final String PUBLISHER = "org.reactivestreams.Publisher";
    private static final String FLOW = "kotlinx.coroutines.flow.Flow";
    private static final String JOB = "kotlinx.coroutines.Job";

    /** The libraries with which Spring converts a suspend function to a publisher, and the publisher to a coroutine. */
    private static final List<String> OF_COROUTINES =
            List.of("kotlinx.coroutines.reactor.MonoKt", "kotlin.reflect.full.KClasses");

    private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

    private ReturnTypes() {}

    /**
     * The end of a method's calls.
     *
     * @param adapter converts between the return type of the method and a publisher; null if it returns a publisher
     */
    record Result(Ending ending, @Nullable ReactiveAdapter adapter) {}

    static Result of(Method method, String where) {
        Signature signature = Signature.of(method);
        return signature.suspends() ? ofCoroutine(signature.result(), where) : ofPlain(signature.result(), where);
    }

    private static Result ofCoroutine(Class<?> result, String where) {
        if (!OF_COROUTINES.stream().allMatch(ReturnTypes::isPresent)) {
            throw new InvalidLimitException(
                    where,
                    "is a suspend function (expected: kotlinx-coroutines-reactor and kotlin-reflect on the class path,"
                            + " with which Spring calls it)");
        }
        if (result.getName().equals(FLOW)) {
            return new Result(Ending.FLUX, null);
        }
        if (endsLater(result)) {
            throw new InvalidLimitException(
                    where,
                    "is a suspend function that returns " + result.getName() + " (expected: a plain value or a Flow)");
        }
        return new Result(Ending.MONO, null);
    }

    private static Result ofPlain(Class<?> result, String where) {
        if (result.isAssignableFrom(CompletableFuture.class) && CompletionStage.class.isAssignableFrom(result)) {
            return new Result(Ending.STAGE, null);
        }
        String name = result.getName();
        if (name.equals("reactor.core.publisher.Mono")) {
            return new Result(Ending.MONO, null);
        }
        if (name.equals("reactor.core.publisher.Flux") || name.equals(PUBLISHER)) {
            return new Result(Ending.FLUX, null);
        }
        if (!endsLater(result)) {
            return new Result(Ending.RETURN, null);
        }
        ReactiveAdapter adapter = REACTOR && !isAny(result, Set.of(JOB)) ? adapter(result) : null;
        if (adapter == null || !result.isAssignableFrom(adapter.getReactiveType())) {
            throw unsupported(where, result);
        }
        return new Result(adapter.isMultiValue() ? Ending.FLUX : Ending.MONO, adapter);
    }

    private static boolean endsLater(Class<?> result) {
        return CompletionStage.class.isAssignableFrom(result)
                || isAny(result, Set.of(PUBLISHER, FLOW, JOB))
                || adapter(result) != null;
    }

    private static @Nullable ReactiveAdapter adapter(Class<?> result) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(result);
    }

    private static boolean isAny(Class<?> type, Set<String> names) {
        Class<?> parent = type.getSuperclass();
        return names.contains(type.getName())
                || (parent != null && isAny(parent, names))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> isAny(each, names));
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ReactiveAdapterRegistry.class.getClassLoader());
    }

    private static InvalidLimitException unsupported(String where, Class<?> result) {
        String also = isAny(result, Set.of(JOB, FLOW))
                ? ", a suspend function, a Flow with kotlinx-coroutines-reactor on the class path"
                : "";
        return new InvalidLimitException(
                where,
                "returns " + result.getName() + " (expected: CompletionStage, CompletableFuture, Mono, Flux, Publisher,"
                        + " another type that Spring adapts to a Publisher" + also + ", or a plain value)");
    }
}
