package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Counts the habits of <i>Ten habits</i> in {@code CONTRIBUTING.md} that a search can find, in the comments of the main code. A few
 * are good English in their place, so each module may have {@value #MAX_PER_THOUSAND} in 1,000 lines of comments.
 */
class PlainWordsTest {

    private static final Path ROOT = Path.of("..");
    private static final int MAX_PER_THOUSAND = 15;

    /** Modules with fewer lines of comments are too small for a share. */
    private static final int MIN_LINES = 100;

    private static final List<Pattern> HABITS = List.of(
            Pattern.compile("(?i)\\b(?:some|no|every|any)body\\b|\\bwhoever\\b"),
            Pattern.compile("\\b(?:tells?|told|hears?|heard)\\b"),
            Pattern.compile(
                    "Returns (?:those|what|that of|who|the one)\\b|@param \\w+ (?:that|which|who|of|for|from|to|in|by|with|at) "),
            Pattern.compile("^(?:/\\*\\*|\\*)\\s*(?:What|Who|Whose|Where|How|Whether|When)\\b(?!.*\\?)"),
            Pattern.compile("\\b(?:goes? on|(?:is|are) over|anew|begun|begins? to)\\b"));

    @Test
    void commentsArePlainEnglish() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        Map<String, Integer> lines = new TreeMap<>();
        for (Path file : SourceTree.files(ROOT, ".java")) {
            Path place = ROOT.relativize(file);
            String module = place.getName(0).toString();
            if (!place.toString().contains("src/main/") || module.equals("benchmarks") || module.equals("examples")) {
                continue;
            }
            for (String comment : comments(file)) {
                lines.merge(module, 1, Integer::sum);
                HABITS.stream().filter(habit -> habit.matcher(comment).find()).forEach(habit -> found.computeIfAbsent(
                                module, m -> new ArrayList<>())
                        .add(place + ": " + comment));
            }
        }
        assertThat(lines).containsKeys("core", "center");
        assertThat(found).allSatisfy((module, places) -> {
            int all = lines.getOrDefault(module, 0);
            assertThat(all < MIN_LINES || places.size() * 1_000 <= MAX_PER_THOUSAND * all)
                    .as("%s: %d habits in %d lines: %s", module, places.size(), all, String.join("\n", places))
                    .isTrue();
        });
    }

    private static List<String> comments(Path file) throws IOException {
        List<String> comments = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(file)) {
            String text = line.strip();
            inside |= text.startsWith("/*");
            if (inside || text.startsWith("//")) {
                comments.add(text);
            }
            inside &= !text.contains("*/");
        }
        return comments;
    }
}
