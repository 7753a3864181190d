package io.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.boot.SluiceAutoConfiguration;
import io.sluice.testkit.docs.Snippet;
import io.sluice.testkit.docs.SnippetCompiler;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The blocks for Spring in README and docs: classes compile, properties are known, and an application starts with them. */
final class SpringDocumentsTest {

    private static final Pattern NAME = Pattern.compile("\"name\": \"(sluice\\.[^\"]+)\"");

    /** The file with a token in the documents. */
    private static final String TOKEN_FILE = "/etc/shop/center-token";

    private static final SnippetCompiler JAVA = new SnippetCompiler(
            List.of("io.sluice.spring.*", "org.springframework.web.bind.annotation.*", "java.util.*"), "");

    @TestFactory
    Stream<DynamicTest> everyJavaBlockCompiles() {
        return snippets("java")
                .filter(snippet -> Stream.of("io.sluice.spring", "org.springframework", "@RateLimited")
                        .anyMatch(snippet.text()::contains))
                .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> assertThat(JAVA.errors(snippet))
                        .isEmpty()));
    }

    @TestFactory
    Stream<DynamicTest> anApplicationStartsWithEveryBlockOfProperties() {
        return snippets("yaml")
                .filter(snippet ->
                        Stream.of("sluice:\n", "spring:\n", "rate.limit").anyMatch(snippet.text()::startsWith))
                .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> start(snippet)));
    }

    private static void start(Snippet snippet) throws IOException {
        Path token = Files.writeString(Files.createTempFile("center", ".token"), "a-token-for-the-center");
        token.toFile().deleteOnExit();
        String text = snippet.text().replace(TOKEN_FILE, token.toString());
        List<PropertySource<?>> properties = new YamlPropertySourceLoader()
                .load(snippet.toString(), new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));
        assertThat(properties).isNotEmpty();
        Set<String> known = known();
        for (PropertySource<?> source : properties) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                assertThat(!name.startsWith("sluice.") || isKnown(name, known))
                        .as("property %s", name)
                        .isTrue();
            }
        }
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .withInitializer(
                        context -> properties.forEach(context.getEnvironment().getPropertySources()::addLast))
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** A property itself, an element of a list, or an entry of a map. */
    private static boolean isKnown(String name, Set<String> known) {
        return known.stream()
                .anyMatch(each -> name.equals(each) || name.startsWith(each + "[") || name.startsWith(each + "."));
    }

    private static Set<String> known() {
        Set<String> names = new TreeSet<>();
        for (String file : List.of(
                "META-INF/spring-configuration-metadata.json",
                "META-INF/additional-spring-configuration-metadata.json")) {
            try (InputStream in = SpringDocumentsTest.class.getClassLoader().getResourceAsStream(file)) {
                String text = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
                Matcher name = NAME.matcher(text);
                while (name.find()) {
                    names.add(name.group(1));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(names).contains("sluice.redis.uri", "sluice.rules", "sluice.outbound");
        return names;
    }

    private static Stream<Snippet> snippets(String language) {
        return Snippet.pages(Path.of("..")).stream()
                .flatMap(page -> Snippet.of(page).stream())
                .filter(snippet -> snippet.language().equals(language));
    }
}
