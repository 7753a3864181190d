package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.config.ConfigFile;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.testkit.docs.Snippet;
import io.sluice.testkit.docs.SnippetCompiler;
import io.sluice.testkit.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * README and docs: every Java block compiles, every YAML block is read by the part of Sluice that it is for, every link leads
 * somewhere, and every test that is named exists. Blocks for Spring are tested in the starter. The system tests run the commands.
 */
final class DocumentsTest {

    private static final Path ROOT = Path.of("..");

    /** Each has a test, or is output or a picture. */
    private static final Set<String> LANGUAGES =
            Set.of("java", "kotlin", "yaml", "sh", "json", "text", "xml", "groovy");

    private static final int LONGEST_LINE = 140;

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern PAGE =
            Pattern.compile("(?<![\\w/])docs/[\\w/-]+\\.(?:md|json|svg|png)(?:#[\\p{L}\\p{N}_-]+)?");
    private static final Pattern NAMES_PAGES =
            Pattern.compile(".*\\.(?:java|kt|lua|js|html|css|json|ya?ml|md|sh|xml|properties)|sluice|test|run");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");

    /** A class, and whether something of it is said to run in the long form only. */
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)`( \\([^)]*\\blong\\b[^)]*\\))?");

    /** As {@code ./test} finds tests with a long form. */
    private static final Pattern LONG =
            Pattern.compile("sluice\\.tests\\.scale|Seeded(Random)?\\.(scaled|sample)|@Tag\\(\"long\"\\)");

    private static final SnippetCompiler JAVA = new SnippetCompiler(
            List.of(
                    "io.sluice.core.*",
                    "io.sluice.core.limit.*",
                    "io.sluice.core.local.*",
                    "io.sluice.core.spi.FailurePolicy",
                    "io.sluice.core.time.Clock",
                    "io.sluice.redis.*",
                    "io.sluice.history.*",
                    "java.nio.file.*",
                    "java.time.Duration",
                    "java.util.*",
                    "java.util.concurrent.*"),
            """
            String userId, tenantId, uri;
            Limiter limiter;
            Limit perUser, perTenant, everybody;
            Executor executor;
            abstract String createOrder();
            abstract CompletableFuture<String> createOrderAsync();
            abstract void createReport();
            """);

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> everyJavaBlockCompiles() {
        return snippets("java")
                .filter(snippet -> !isForSpring(snippet))
                .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> assertThat(JAVA.errors(snippet))
                        .isEmpty()));
    }

    @Test
    void theCompilerRefusesWhatDoesNotCompile() {
        Snippet wrong = new Snippet(Path.of("none.md"), 1, "java", "Limiter limiter = Limiter.somewhere();\n");
        assertThat(JAVA.errors(wrong).orElseThrow()).contains("somewhere");
    }

    @TestFactory
    Stream<DynamicTest> everyYamlBlockIsRead() {
        return snippets("yaml")
                .filter(snippet -> !isForSpring(snippet))
                .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> read(snippet)));
    }

    private void read(Snippet snippet) throws Exception {
        Path file = folder.resolve("snippet.yaml");
        Files.writeString(file, snippet.text());
        if (snippet.text().startsWith("keys:")) {
            // A file of API keys, which ApiKeyDocumentsTest reads.
            return;
        }
        if (isForEnvoy(snippet) || isForPrometheus(snippet)) {
            // These programs are not here to read it.
            Errors errors = new Errors("other.yaml");
            assertThat(YamlReader.read("other.yaml", snippet.text(), errors)).isPresent();
            assertThat(errors.list()).isEmpty();
            return;
        }
        if (isRules(snippet.text())) {
            RuleDocument document = FileDocuments.read(file);
            assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
            assertThat(document.warnings()).isEmpty();
            return;
        }
        Path secret = folder.resolve("secrets").resolve("key");
        Files.createDirectories(secret.getParent());
        Files.writeString(secret, "0123456789abcdef0123456789abcdef");
        assertThat(ConfigFile.read(file)).isNotNull();
    }

    /** A list of rules, with or without the key before it; or rules of the reference service of Envoy. */
    private static boolean isRules(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("#"))
                .findFirst()
                .orElse("")
                .matches("rules:|- .*|domain:.*");
    }

    /** The program has every verb and option, and nothing that it needs is missing. */
    @TestFactory
    Stream<DynamicTest> everyCommandIsKnown() {
        return snippets("sh").flatMap(snippet -> snippet.commands().stream()
                .filter(command -> command.startsWith("./sluice "))
                .map(Snippet::words)
                .map(words -> DynamicTest.dynamicTest(snippet + ": " + String.join(" ", words), () -> Main.commandLine()
                        .parseArgs(words.subList(1, words.size()).toArray(String[]::new)))));
    }

    @Test
    void everyBlockHasALanguageThatIsTested() {
        for (Path page : Snippet.pages(ROOT)) {
            assertThat(Snippet.of(page))
                    .allSatisfy(
                            snippet -> assertThat(LANGUAGES).as("%s", snippet).contains(snippet.language()));
        }
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        List<Path> pages = SourceTree.files(ROOT, ".md");
        assertThat(pages).contains(ROOT.resolve("CHANGELOG.md"), ROOT.resolve("docs/adr/README.md"));
        for (Path page : pages) {
            Matcher link = LINK.matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains("://") && !exists(page, target)) {
                    broken.add(page.normalize() + ": " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    /** Comments, messages, scripts, examples and the console. */
    @Test
    void everyPageThatIsNamedExists() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path file : SourceTree.files(ROOT, "")) {
            if (!NAMES_PAGES.matcher(file.getFileName().toString()).matches()) {
                continue;
            }
            Matcher name = PAGE.matcher(Files.readString(file));
            while (name.find()) {
                if (!exists(ROOT.resolve("README.md"), name.group())) {
                    broken.add(file.normalize() + ": " + name.group());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    /** The index stands beside the folders: each kind of page has one. */
    @Test
    void everyPageIsInTheIndexAndInTheFolderOfItsKind() throws IOException {
        Path index = ROOT.resolve("docs/README.md");
        Set<Path> linked = new HashSet<>();
        Matcher link = LINK.matcher(Files.readString(index));
        while (link.find()) {
            linked.add(
                    index.resolveSibling(link.group(1).replaceFirst("#.*", "")).normalize());
        }
        for (Path page : SourceTree.files(ROOT.resolve("docs"), ".md")) {
            String place = ROOT.resolve("docs").relativize(page).toString();
            assertThat(place).matches("(README|architecture)\\.md|(start|how-to|reference|why|adr)/[^/]+\\.md");
            if (!place.startsWith("adr/") && !page.equals(index)) {
                assertThat(linked).contains(page.normalize());
            }
        }
    }

    private static boolean exists(Path page, String target) throws IOException {
        int mark = target.indexOf('#');
        String path = mark < 0 ? target : target.substring(0, mark);
        Path file = path.isEmpty() ? page : page.resolveSibling(path);
        if (!Files.exists(file)) {
            return false;
        }
        return mark < 0 || anchors(file).contains(target.substring(mark + 1));
    }

    /** As GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new TreeSet<>();
        Matcher heading = HEADING.matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""));
        while (heading.find()) {
            anchors.add(heading.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
                    .strip()
                    .replace(' ', '-'));
        }
        return anchors;
    }

    /** Rows of tables, addresses and what a program prints cannot be broken. */
    @Test
    void linesAreShortEnoughToReadAndCompare() throws IOException {
        List<String> longer = new ArrayList<>();
        for (Path page : Snippet.pages(ROOT)) {
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                boolean free = line.strip().startsWith("|") || line.contains("curl ") || line.startsWith("{\"");
                if (!free && line.codePointCount(0, line.length()) > LONGEST_LINE) {
                    longer.add(page.normalize() + ":" + number);
                }
            }
        }
        assertThat(longer).isEmpty();
    }

    /** Also whether a test that has a long form by the page has one. */
    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Map<String, Path> tests = new HashMap<>();
        SourceTree.files(ROOT, "Test.java")
                .forEach(file -> tests.put(file.getFileName().toString().replace(".java", ""), file));
        List<String> wrong = new ArrayList<>();
        for (Path page : Snippet.pages(ROOT)) {
            Matcher name = TEST.matcher(Files.readString(page));
            while (name.find()) {
                Path file = tests.get(name.group(1));
                if (file == null
                        || name.group(2) != null
                                && !LONG.matcher(Files.readString(file)).find()) {
                    wrong.add(page.normalize() + ": " + name.group());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static Stream<Snippet> snippets(String language) {
        return Snippet.pages(ROOT).stream()
                .flatMap(page -> Snippet.of(page).stream())
                .filter(snippet -> snippet.language().equals(language));
    }

    private static boolean isForSpring(Snippet snippet) {
        return Stream.of(
                        "io.sluice.spring",
                        "org.springframework",
                        "@RateLimited",
                        "sluice:\n",
                        "spring:\n",
                        "rate.limit")
                .anyMatch(snippet.text()::contains);
    }

    private static boolean isForPrometheus(Snippet snippet) {
        return snippet.text().startsWith("groups:");
    }

    private static boolean isForEnvoy(Snippet snippet) {
        return snippet.text().startsWith("static_resources:");
    }
}
