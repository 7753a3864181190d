package io.sluice.spring.boot;

import io.sluice.spring.boot.starts.Started;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** An application that runs with a part of this class path, as if the rest did not exist. */
final class OwnClassPath implements AutoCloseable {

    private final URLClassLoader classes;
    private final UnaryOperator<String> started;

    private OwnClassPath(URLClassLoader classes, UnaryOperator<String> started) {
        this.classes = classes;
        this.started = started;
    }

    /** @param without prefixes of the names of the jars that the application does not have */
    static OwnClassPath start(Class<?> application, Pattern without, String... arguments) throws Exception {
        List<URL> urls = new ArrayList<>();
        StringTokenizer entries = new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
        while (entries.hasMoreTokens()) {
            Path file = Path.of(entries.nextToken());
            if (!without.matcher(file.getFileName().toString()).lookingAt()) {
                urls.add(file.toUri().toURL());
            }
        }
        URLClassLoader classes = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classes);
        try {
            @SuppressWarnings("unchecked")
            UnaryOperator<String> started =
                    (UnaryOperator<String>) Class.forName(Started.class.getName(), true, classes)
                            .asSubclass(UnaryOperator.class)
                            .getConstructor(String.class, String[].class)
                            .newInstance(application.getName(), arguments);
            return new OwnClassPath(classes, started);
        } catch (Exception e) {
            classes.close();
            throw e;
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    List<String> beans() {
        return started.apply("beans").lines().toList();
    }

    String greet() {
        return started.apply("greet");
    }

    String uri() {
        return "http://127.0.0.1:" + started.apply("local.server.port");
    }

    String property(String name) {
        return started.apply(name);
    }

    boolean has(String type) {
        return classes.getResource(type.replace('.', '/') + ".class") != null;
    }

    @Override
    public void close() throws Exception {
        ((AutoCloseable) started).close();
        classes.close();
    }
}
