package io.sluice.node.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node without a receiver of OTLP never loads the libraries for it, so it has no threads of theirs either. */
@Timeout(300)
class WithoutTelemetryTest {

    @Test
    void neverLoadsTheLibraries() throws Exception {
        Watched own = new Watched();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(own);
        try {
            Class<?> program = own.loadClass(StartAndStop.class.getName());
            assertThat(program.getClassLoader()).isSameAs(own);
            program.getMethod("run").invoke(null);
        } finally {
            thread.setContextClassLoader(before);
        }
        assertThat(own.wanted).isEmpty();
    }

    /** Loads the classes of the tests once more, except the libraries. */
    private static final class Watched extends ClassLoader {

        private static final Pattern LIBRARIES =
                Pattern.compile("io\\.opentelemetry\\..*|io\\.micrometer\\.registry\\.otlp\\..*");

        private final ClassLoader tests = WithoutTelemetryTest.class.getClassLoader();
        private final List<String> wanted = new CopyOnWriteArrayList<>();

        Watched() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (LIBRARIES.matcher(name).matches()) {
                wanted.add(name);
                throw new ClassNotFoundException(name);
            }
            try (InputStream in = tests.getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        protected URL findResource(String name) {
            return tests.getResource(name);
        }

        @Override
        protected Enumeration<URL> findResources(String name) throws IOException {
            return tests.getResources(name);
        }
    }
}
