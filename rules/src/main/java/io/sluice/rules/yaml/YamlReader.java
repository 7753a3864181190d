package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads one YAML or JSON document into a tree. Hostile documents are refused: more than 32 million characters, nesting
 * deeper than 50, more than 50 aliases of collections, aliases into themselves, type tags. Aliases are shared and not
 * expanded, so a tree is never larger than its text.
 */
public final class YamlReader {

    /** The most characters of a document. */
    public static final int MOST_CHARACTERS = 32 * 1024 * 1024;

    private static final int MOST_ALIASES = 50;

    private final Errors errors;
    private final IdentityHashMap<Node, YamlValue> done = new IdentityHashMap<>();
    private final IdentityHashMap<Node, Boolean> under = new IdentityHashMap<>();

    private YamlReader(Errors errors) {
        this.errors = errors;
    }

    /** The document's root; empty, and the errors say why, if it has none or cannot be read. */
    public static Optional<YamlValue> read(String file, String text, Errors errors) {
        if (text.length() > MOST_CHARACTERS) {
            errors.add(
                    Place.START,
                    "characters: " + text.length() + " (expected: at most " + MOST_CHARACTERS + " in a document)");
            return Optional.empty();
        }
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setUseMarks(true)
                .setMaxAliasesForCollections(MOST_ALIASES)
                .setCodePointLimit(MOST_CHARACTERS)
                .build();
        try {
            ParserImpl parser = new ParserImpl(settings, new StreamReader(settings, text));
            Optional<Node> root = new Composer(settings, new GuardedParser(parser)).getSingleNode();
            if (root.isEmpty()) {
                errors.add(Place.START, "document: empty (expected: YAML or JSON)");
            }
            return root.map(new YamlReader(errors)::value);
        } catch (MarkedYamlEngineException e) {
            errors.add(place(e.getProblemMark().or(e::getContextMark)), "document: " + problem(e));
        } catch (ReaderException e) {
            errors.add(
                    place(text, e.getPosition()),
                    "character: U+" + String.format("%04X", e.getCodePoint()) + " (expected: printable text)");
        } catch (YamlEngineException e) {
            errors.add(Place.START, "document: " + Shown.text(String.valueOf(e.getMessage())));
        }
        return Optional.empty();
    }

    private YamlValue value(Node node) {
        YamlValue known = done.get(node);
        if (known != null) {
            return known;
        }
        Place place = place(node.getStartMark());
        if (under.put(node, true) != null) {
            errors.add(place, "alias: inside of what it names (expected: no loops)");
            return new YamlScalar(place, "", false);
        }
        YamlValue value = convert(node, place);
        under.remove(node);
        done.put(node, value);
        return value;
    }

    private YamlValue convert(Node node, Place place) {
        if (node instanceof ScalarNode scalar) {
            return new YamlScalar(place, scalar.getValue(), !scalar.isPlain());
        }
        if (node instanceof SequenceNode sequence) {
            List<YamlValue> items = new ArrayList<>();
            sequence.getValue().forEach(item -> items.add(value(item)));
            return new YamlList(place, items);
        }
        List<Entry> entries = new ArrayList<>();
        ((MappingNode) node)
                .getValue()
                .forEach(tuple -> entries.add(new Entry(value(tuple.getKeyNode()), value(tuple.getValueNode()))));
        return new YamlMap(place, entries);
    }

    private static String problem(MarkedYamlEngineException e) {
        @Nullable String context = e.getContext();
        String problem = String.valueOf(e.getProblem()).replaceAll("\\s+", " ");
        return context == null || context.isEmpty() ? problem : problem + " " + context.replaceAll("\\s+", " ");
    }

    private static Place place(Optional<Mark> mark) {
        return mark.map(m -> new Place(m.getLine() + 1, m.getColumn() + 1)).orElse(Place.START);
    }

    private static Place place(String text, int codePoints) {
        int line = 1;
        int column = 1;
        int[] characters = text.codePoints().limit(codePoints).toArray();
        for (int c : characters) {
            boolean newLine = c == '\n';
            line += newLine ? 1 : 0;
            column = newLine ? 1 : column + 1;
        }
        return new Place(line, column);
    }
}
