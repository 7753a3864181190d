package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Algorithm;
import io.sluice.testkit.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Code outside {@code core} asks for properties of an {@link Algorithm} instead of naming algorithms, so that a new one changes few
 * files. Where each algorithm has code of its own, a switch names all of them, so that it does not compile without the new one.
 */
final class NamedAlgorithmsTest {

    private static final Path ROOT = Path.of("..");

    private static final int MOST_PLACES = 40;

    private static final String CONSTANTS =
            Arrays.stream(Algorithm.values()).map(Algorithm::name).collect(Collectors.joining("|", "(", ")"));

    private static final String WORDS =
            Arrays.stream(Algorithm.values()).map(Algorithm::word).collect(Collectors.joining("|", "(", ")"));

    private static final String TYPES = "(TokenBucket|LeakyBucket|FixedWindow|SlidingWindow|SlidingLog|Concurrency)";

    private static final Pattern PLACE = Pattern.compile("instanceof " + TYPES + "\\b|\\(" + TYPES + "\\) |\\bcase "
            + CONSTANTS + "\\b|\\bAlgorithm\\." + CONSTANTS + "\\b|case \"" + WORDS + "\"");

    @Test
    void fewPlacesOutsideCoreNameAnAlgorithm() throws IOException {
        assertThat(places()).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_PLACES);
    }

    private static List<String> places() throws IOException {
        List<String> places = new ArrayList<>();
        for (Path file : SourceTree.files(ROOT, ".java")) {
            Path path = ROOT.relativize(file);
            if (!path.startsWith("core") && path.toString().contains("src/main/java")) {
                for (String line : Files.readAllLines(file)) {
                    if (PLACE.matcher(line).find()) {
                        places.add(path + ": " + line.strip());
                    }
                }
            }
        }
        return places;
    }
}
