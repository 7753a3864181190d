package io.sluice.rules.yaml;

import io.sluice.rules.yaml.SimpleItems.Rest;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses one YAML document into a tree, within {@link Bounds}. Aliases share the values that they name.
 *
 * <p>The items of a long list are left to {@link SimpleItems} as long as they are simple.
 *
 * <p>Builds the tree from the events of the library's parser. The library's own composer has no such bounds and took minutes
 * for one long text.
 */
final class YamlTree {

    /**
     * Buffer size of the parser. The parser copies its whole lookahead each time the buffer runs out, so with a small buffer long
     * texts would take minutes.
     */
    private static final int BUFFER = 1024 * 1024;

    private final ParserImpl parser;
    private final Rest rest;
    private final @Nullable ItemHandler items;
    private final Bounds bounds;
    private final Map<Anchor, Anchored> anchored = new HashMap<>();
    private final Set<Anchor> open = new HashSet<>();

    private YamlTree(ParserImpl parser, Rest rest, @Nullable ItemHandler items, Bounds bounds) {
        this.parser = parser;
        this.rest = rest;
        this.items = items;
        this.bounds = bounds;
    }

    /** The value that an anchor names, and the number of values in it. */
    private record Anchored(YamlValue value, long size) {}

    /** Returns the root; empty if there are only comments. */
    static Optional<YamlValue> read(String file, String text, @Nullable ItemHandler items) {
        Bounds bounds = Bounds.ofYaml();
        Rest rest = items == null ? Rest.all(text) : SimpleItems.take(text, items, bounds);
        return read(file, rest, items, bounds);
    }

    /** Reads the document without {@link SimpleItems}. */
    static Optional<YamlValue> readAll(String file, String text, ItemHandler items) {
        return read(file, Rest.all(text), items, Bounds.ofYaml());
    }

    private static Optional<YamlValue> read(String file, Rest rest, @Nullable ItemHandler items, Bounds bounds) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setUseMarks(true)
                .setBufferSize(Math.max(1024, Math.min(rest.text().length(), BUFFER)))
                .setCodePointLimit(YamlReader.MOST_CHARACTERS)
                .build();
        try {
            StreamReader reader = new StreamReader(settings, new WholePairs(rest.text()));
            return new YamlTree(new ParserImpl(settings, reader), rest, items, bounds).document();
        } catch (MarkedYamlEngineException e) {
            throw new UnreadableDocument(
                    place(e.getProblemMark().or(e::getContextMark), rest), "document: " + problem(e));
        } catch (ReaderException e) {
            throw new UnreadableDocument(
                    place(rest.text(), e.getPosition()),
                    "character: U+" + String.format("%04X", e.getCodePoint()) + " (expected: printable text)");
        } catch (YamlEngineException e) {
            throw new UnreadableDocument(
                    Place.START, "document: " + PrintableText.text(String.valueOf(e.getMessage())));
        }
    }

    private Optional<YamlValue> document() {
        expect(Event.ID.StreamStart);
        if (parser.checkEvent(Event.ID.StreamEnd)) {
            return Optional.empty();
        }
        expect(Event.ID.DocumentStart);
        YamlValue root = items != null && startsList() ? listOfItems(items) : value();
        expect(Event.ID.DocumentEnd);
        expect(Event.ID.StreamEnd);
        return Optional.of(root);
    }

    private void expect(Event.ID id) {
        Event event = parser.next();
        if (event.getEventId() != id) {
            throw new UnreadableDocument(
                    place(event.getStartMark()), "document: a second one begins here (expected: one per file)");
        }
    }

    private YamlValue value() {
        NodeEvent event = (NodeEvent) parser.next();
        Place place = place(event.getStartMark());
        if (event instanceof AliasEvent alias) {
            return named(alias.getAlias(), place);
        }
        long before = bounds.met();
        bounds.value(place);
        bounds.characters(
                rest.character(event.getStartMark().map(Mark::getIndex).orElse(0), place), place);
        Anchor anchor = event.getAnchor().orElse(null);
        if (anchor == null) {
            return value(event, place);
        }
        bounds.anchor(place);
        open.add(anchor);
        YamlValue value = value(event, place);
        open.remove(anchor);
        anchored.put(anchor, new Anchored(value, bounds.met() - before));
        return value;
    }

    private YamlValue named(Anchor anchor, Place place) {
        Anchored named = anchored.get(anchor);
        if (open.contains(anchor)) {
            throw new UnreadableDocument(place, "alias: refers to a value that contains it (expected: no loops)");
        }
        if (named == null) {
            throw new UnreadableDocument(
                    place, "alias: *" + PrintableText.text(anchor.getValue()) + " (expected: an earlier anchor)");
        }
        bounds.repeat(named.size(), place);
        return named.value();
    }

    private YamlValue value(Event event, Place place) {
        if (event instanceof ScalarEvent scalar) {
            refuse(scalar.getTag(), place);
            return new YamlScalar(place, scalar.getValue(), scalar.getScalarStyle() != ScalarStyle.PLAIN);
        }
        bounds.enter(place);
        YamlValue value = event instanceof SequenceStartEvent sequence
                ? list(sequence, place)
                : map((MappingStartEvent) event, place);
        bounds.leave();
        return value;
    }

    private YamlList list(SequenceStartEvent start, Place place) {
        refuse(start.getTag(), place);
        List<YamlValue> items = new ArrayList<>();
        while (!parser.checkEvent(Event.ID.SequenceEnd)) {
            items.add(value());
        }
        parser.next();
        return new YamlList(place, items);
    }

    /** Returns whether a list without an anchor follows. No alias can refer to such a list later. */
    private boolean startsList() {
        return parser.peekEvent() instanceof SequenceStartEvent start
                && start.getAnchor().isEmpty();
    }

    private YamlList listOfItems(ItemHandler taken) {
        SequenceStartEvent start = (SequenceStartEvent) parser.next();
        Place place = rest.list(place(start.getStartMark()));
        refuse(start.getTag(), place);
        bounds.value(place);
        bounds.enter(place);
        while (!parser.checkEvent(Event.ID.SequenceEnd)) {
            YamlValue item = value();
            // If the document is broken after an item, the item itself may be incomplete.
            parser.peekEvent();
            if (taken.take().test(item)) {
                bounds.item();
            }
        }
        parser.next();
        bounds.leave();
        return new YamlList(place, List.of());
    }

    private YamlMap map(MappingStartEvent start, Place place) {
        refuse(start.getTag(), place);
        List<Entry> entries = new ArrayList<>();
        while (!parser.checkEvent(Event.ID.MappingEnd)) {
            bounds.key(entries.size(), place);
            YamlValue key = value();
            ItemHandler here = items;
            boolean hasItems = here != null
                    && bounds.isInRoot()
                    && key instanceof YamlScalar word
                    && word.text().equals(here.key())
                    && startsList();
            entries.add(new Entry(key, here != null && hasItems ? listOfItems(here) : value()));
        }
        parser.next();
        return new YamlMap(place, entries);
    }

    private static void refuse(Optional<String> tag, Place place) {
        if (tag.isPresent()) {
            throw new UnreadableDocument(place, "tag: " + PrintableText.text(tag.get()) + " (expected: no type tags)");
        }
    }

    private static String problem(MarkedYamlEngineException e) {
        String context = e.getContext() == null ? "" : " " + e.getContext();
        return PrintableText.line(e.getProblem() + context);
    }

    private Place place(Optional<Mark> mark) {
        return place(mark, rest);
    }

    private static Place place(Optional<Mark> mark, Rest rest) {
        return mark.map(m -> new Place(rest.line(m.getLine() + 1), m.getColumn() + 1))
                .orElse(Place.START);
    }

    private static Place place(String text, int codePoints) {
        int line = 1;
        int column = 1;
        int at = 0;
        for (int i = 0; i < codePoints && at < text.length(); i++) {
            boolean newLine = text.charAt(at) == '\n';
            line += newLine ? 1 : 0;
            column = newLine ? 1 : column + 1;
            at += Character.charCount(text.codePointAt(at));
        }
        return new Place(line, column);
    }
}
