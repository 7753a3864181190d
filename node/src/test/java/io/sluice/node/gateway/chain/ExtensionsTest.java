package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.http.answer.RefusalBody;
import io.sluice.node.gateway.spi.GatewayHandler;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** User extensions in real jars, compiled here and named as the documentation says. */
class ExtensionsTest {

    private static final String HANDLER = """
            package shop;
            import io.sluice.node.gateway.spi.*;
            import java.util.concurrent.*;
            public final class Tagging implements GatewayHandler {
                @Override public Phase phase() { return Phase.BEFORE; }
                @Override public CompletionStage<Verdict> handle(GatewayCall call) {
                    call.forwardHeader("X-Tag", "from-a-jar");
                    return CompletableFuture.completedFuture(Verdict.GO_ON);
                }
            }
            """;

    private static final String BODY = """
            package shop;
            import io.sluice.http.answer.*;
            import io.sluice.rules.evaluate.*;
            import io.sluice.rules.model.*;
            public final class NAME implements RefusalBody {
                @Override public Content of(Ruling.Settled ruling, AnswerLanguage language) {
                    return new Content(429, "text/plain", AnswerLanguage.EN, "from a jar");
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void handlersAndRefusalBodiesOfAJarAreFoundAndUsed() throws Exception {
        Path jar = jar("shop.jar", Map.of("Tagging", HANDLER, "Plain", BODY.replace("NAME", "Plain")));
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
            Extensions extensions = loadedBy(loader);
            assertThat(extensions.handlers()).hasSize(1);
            try (GatewayUnderTest gateway = new GatewayUnderTest()
                    .handlers(extensions.handlers().toArray(GatewayHandler[]::new))
                    .refusals(extensions.refusals())
                    .rules("rules: [{ id: one, limits: [{ limit: 1, window: 1h }] }]")
                    .start()) {
                assertThat(gateway.get("/a").told("set")).containsIgnoringCase("x-tag=from-a-jar");
                assertThat(gateway.get("/a").body()).isEqualTo("from a jar");
            }
        }
    }

    @Test
    void twoRefusalBodiesAreAnErrorThatNamesThem() throws Exception {
        Path jar = jar("two.jar", Map.of("One", BODY.replace("NAME", "One"), "Two", BODY.replace("NAME", "Two")));
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
            assertThatThrownBy(() -> loadedBy(loader))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("shop.One")
                    .hasMessageContaining("shop.Two");
        }
    }

    private static Extensions loadedBy(ClassLoader loader) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return Extensions.load();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Path jar(String name, Map<String, String> sources) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Path classes = Files.createDirectory(folder.resolve(name + ".classes"));
        Path jar = folder.resolve(name);
        StringBuilder handlers = new StringBuilder();
        StringBuilder bodies = new StringBuilder();
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            for (Map.Entry<String, String> each : sources.entrySet()) {
                Path source = Files.writeString(folder.resolve(each.getKey() + ".java"), each.getValue());
                assertThat(compiler.run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-d",
                                classes.toString(),
                                source.toString()))
                        .isZero();
                (each.getValue().contains("GatewayHandler") ? handlers : bodies)
                        .append("shop.")
                        .append(each.getKey())
                        .append('\n');
                entry(
                        entries,
                        "shop/" + each.getKey() + ".class",
                        Files.readAllBytes(classes.resolve("shop/" + each.getKey() + ".class")));
            }
            entry(entries, "META-INF/services/" + GatewayHandler.class.getName(), bytes(handlers));
            entry(entries, "META-INF/services/" + RefusalBody.class.getName(), bytes(bodies));
        }
        return jar;
    }

    private static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void entry(JarOutputStream entries, String name, byte[] bytes) throws Exception {
        entries.putNextEntry(new JarEntry(name));
        entries.write(bytes);
        entries.closeEntry();
    }
}
