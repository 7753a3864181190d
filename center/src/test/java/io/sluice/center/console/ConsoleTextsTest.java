package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts of the console. The page itself refuses to start if a language lacks a text; here, the Chinese ones are Chinese. */
class ConsoleTextsTest {

    private static final Path PAGE = Path.of("src", "main", "resources", "io", "sluice", "center", "page");
    private static final Pattern CHINESE = Pattern.compile("\\bzh: \\{(.*?)\\},?\\s*\\}\\);", Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("(\\w+): '((?:[^'\\\\]|\\\\.)*)'");
    private static final Pattern HAN = Pattern.compile("\\p{IsHan}");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{3,}");

    /** Names, examples and commands, which are the same in every language. */
    private static final Set<String> SAME = Set.of(
            "UTC",
            "HTTP",
            "YAML",
            "English",
            "mara、token:admin",
            "header.x-phone",
            "team=shop",
            "./sluice apply rules.yaml");

    @Test
    void everyChineseTextIsChinese() throws IOException {
        List<String> found = new ArrayList<>();
        int texts = 0;
        for (Path file : scripts()) {
            Matcher chinese = CHINESE.matcher(Files.readString(file));
            while (chinese.find()) {
                Matcher text = TEXT.matcher(chinese.group(1));
                while (text.find()) {
                    texts++;
                    String value = text.group(2);
                    if (!HAN.matcher(value).find()
                            && WORD.matcher(value.replaceAll("\\{\\w+}", "")).find()
                            && !SAME.contains(value)) {
                        found.add(file.getFileName() + ": " + text.group(1) + ": " + value);
                    }
                }
            }
        }
        assertThat(found).isEmpty();
        assertThat(texts).as("texts that were read").isGreaterThan(1_000);
    }

    private static List<Path> scripts() throws IOException {
        try (Stream<Path> views = Files.list(PAGE.resolve("views"));
                Stream<Path> console = Files.list(PAGE.resolve("console"))) {
            return Stream.concat(views, console)
                    .filter(file -> file.toString().endsWith(".js"))
                    .sorted()
                    .toList();
        }
    }
}
