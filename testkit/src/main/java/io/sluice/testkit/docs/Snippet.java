package io.sluice.testkit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A fenced code block of a Markdown page. Immutable.
 *
 * @param line the line at which its text begins, counted from 1
 * @param language the text after the opening fence; empty if there is none
 */
public record Snippet(Path page, int line, String language, String text) {

    private static final String FENCE = "```";
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    /** Returns the README and all pages of {@code docs/} below a folder, sorted by name. */
    public static List<Path> pages(Path root) {
        List<Path> pages = new ArrayList<>();
        pages.add(root.resolve("README.md"));
        try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            docs.filter(path -> path.toString().endsWith(".md")).sorted().forEach(pages::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return pages;
    }

    /** Returns the code blocks of a page. */
    public static List<Snippet> of(Path page) {
        List<Snippet> snippets = new ArrayList<>();
        try {
            List<String> lines = Files.readAllLines(page);
            int open = -1;
            for (int i = 0; i < lines.size(); i++) {
                if (!lines.get(i).strip().startsWith(FENCE)) {
                    continue;
                }
                if (open >= 0) {
                    String language = lines.get(open).strip().substring(FENCE.length());
                    String text = String.join("\n", lines.subList(open + 1, i)) + "\n";
                    snippets.add(new Snippet(page, open + 2, language.strip(), text));
                }
                open = open >= 0 ? -1 : i;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return snippets;
    }

    /** Returns the commands of a block for a shell, without comments. A command may continue on the next line. */
    public List<String> commands() {
        return text.replaceAll("\\\\\\n\\s*", "")
                .lines()
                .map(line -> line.replaceAll("\\s+#.*", ""))
                .toList();
    }

    /** Returns the words of a command, as a shell would split it, but without its expansions. */
    public static List<String> words(String command) {
        return WORD.matcher(command)
                .results()
                .map(word ->
                        word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3))
                .toList();
    }

    /** Returns the place of the block in the form that an editor opens. */
    @Override
    public String toString() {
        return page.normalize() + ":" + line;
    }
}
