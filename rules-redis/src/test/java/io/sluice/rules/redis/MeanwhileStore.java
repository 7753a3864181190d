package io.sluice.rules.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store in which another client does something at the worst moment, once. */
final class MeanwhileStore {

    private MeanwhileStore() {}

    /** Runs the action before the step with this name. */
    static RuleStore before(String step, RuleStore store, Callable<?> meanwhile) {
        AtomicBoolean done = new AtomicBoolean();
        return (RuleStore) Proxy.newProxyInstance(
                RuleStore.class.getClassLoader(), new Class<?>[] {RuleStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(step) && done.compareAndSet(false, true)) {
                        meanwhile.call();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
