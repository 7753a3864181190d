package io.sluice.cli;

import java.lang.reflect.Proxy;

/**
 * Handles signals. A shutdown hook, the usual mechanism of the JVM, does not notice a second signal. The API for signals is unsupported, so
 * it is looked up by reflection; without it, only the shutdown hook remains.
 */
final class Signals {

    private Signals() {}

    /** Runs an action on its own thread at each of these signals. Returns false if signals cannot be handled here. */
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
