package io.sluice.cli;

import java.lang.reflect.Proxy;

/**
 * Hears signals. The JVM's own way, a shutdown hook, is deaf to a second one. The API for it is not a supported one, so it is looked
 * for, and done without where there is none.
 */
final class Signals {

    private Signals() {}

    /** Has this done at each signal of these names, on a thread of its own; false if signals cannot be heard here. */
    static boolean on(Runnable action, String... names) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "handle" -> action.run();
                            case "equals" -> {
                                return self == arguments[0];
                            }
                            case "hashCode" -> {
                                return System.identityHashCode(self);
                            }
                            default -> {
                                return "signals";
                            }
                        }
                        return null;
                    });
            for (String name : names) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
