package io.sluice.replay.imports.draft;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A rule document that is being written. Each rule is parsed as a node would parse it: a rule that a node would refuse becomes a warning,
 * so the result never has errors. Not thread-safe.
 */
public final class DocumentDraft {

    private static final int LONGEST_ID = 100;
    private static final int COMMENT_WIDTH = 130;

    /** The maximum number of names from the original in a message. */
    private static final int MAX_FOUND = 5;

    private final String file;
    private final ForeignFormat format;
    private final Set<String> found = new LinkedHashSet<>();
    private final Set<String> ids = new HashSet<>();
    private final Map<String, Integer> repeated = new HashMap<>();
    private final List<Part> parts = new ArrayList<>();
    private final DraftVolume volume = new DraftVolume();

    /** A part of the document: a rule, or a note that belongs to no rule. */
    private interface Part {

        /** Returns the rule as YAML, or an empty text if there is no rule, and adds the notes above it. */
        String text(List<Note> notes);
    }

    private DocumentDraft(String file, ForeignFormat format) {
        this.file = file;
        this.format = format;
    }

    /** Writes a document. */
    public interface Content {

        void write(DocumentDraft draft) throws ImportRefusedException;
    }

    /**
     * Writes a document. Refuses a document that becomes too large, and a document without rules, because a node with such a document would
     * limit nothing.
     */
    public static Imported write(String file, ForeignFormat format, Content content) throws ImportRefusedException {
        DocumentDraft draft = new DocumentDraft(file, format);
        try {
            content.write(draft);
        } catch (DraftVolume.ExceededException e) {
            throw new ImportRefusedException(
                    draft.spot(Place.START),
                    "rules: more than " + DraftVolume.MOST + " values in all (expected: a smaller configuration)");
        }
        return draft.imported();
    }

    public Spot spot(Place place) {
        return new Spot(file, place);
    }

    /** Notes a name at the top of the original, for the message that no rules come from it. */
    public void found(String name) {
        if (found.size() <= MAX_FOUND) {
            found.add(PrintableText.text(name));
        }
    }

    /** Notes the names at the top of the original. */
    public void found(YamlValue root) {
        if (root instanceof YamlMap map) {
            map.entries().stream()
                    .map(Entry::key)
                    .filter(YamlScalar.class::isInstance)
                    .forEach(key -> found(((YamlScalar) key).text()));
        } else {
            found(root instanceof YamlList ? "a list" : "a text");
        }
    }

    /** Starts a rule. The id is made legal and unique. */
    public RuleDraft rule(String id, Place place) {
        return rule(id, spot(place));
    }

    /** Starts a rule. The id is made legal and unique. */
    public RuleDraft rule(String id, Spot spot) {
        volume.rule();
        RuleDraft rule = new RuleDraft(unique(id), spot, volume);
        parts.add(notes -> text(rule, notes));
        return rule;
    }

    /** Adds a complete rule. */
    public void add(Rule rule) {
        parts.add(notes -> YamlReader.read(file, RuleJson.rule(rule), new Errors(file))
                .map(value -> YamlText.item((YamlMap) value))
                .orElseThrow());
    }

    /** Adds a note that belongs to no rule. */
    public void comment(Spot at, String message) {
        note(new Note(Note.Severity.COMMENT, at, message));
    }

    /** Adds a warning that belongs to no rule. */
    public void warn(Place place, String message) {
        warn(spot(place), message);
    }

    /** Adds a warning that belongs to no rule. */
    public void warn(Spot at, String message) {
        note(new Note(Note.Severity.WARNING, at, message));
    }

    private void note(Note note) {
        volume.add(1);
        parts.add(notes -> {
            notes.add(note);
            return "";
        });
    }

    private Imported imported() throws ImportRefusedException {
        List<Note> notes = new ArrayList<>();
        StringBuilder rules = new StringBuilder();
        boolean empty = true;
        for (Part part : parts) {
            List<Note> own = new ArrayList<>();
            String text = part.text(own);
            own.forEach(note -> comment(rules, note.toString()));
            rules.append(text);
            notes.addAll(own);
            empty &= text.isEmpty();
        }
        if (empty) {
            throw nothing(notes);
        }
        return new Imported(
                "# Rules of " + format.limiter()
                        + ", imported by ./sluice import. Check them with ./sluice lint.\nrules:\n" + rules,
                notes);
    }

    /** Returns the refusal of a configuration without rules. The notes describe the parts that were left out. */
    private ImportRefusedException nothing(List<Note> notes) {
        List<DocumentError> errors = new ArrayList<>();
        notes.forEach(note -> errors.add(note.spot().error(note.message())));
        String names = found.stream().limit(MAX_FOUND).collect(Collectors.joining(", "));
        errors.add(spot(Place.START)
                .error("document: no rules come from " + (names.isEmpty() ? "this file" : names)
                        + (found.size() > MAX_FOUND ? " and more" : "") + " (expected: a configuration of "
                        + format.limiter() + " with " + format.limits() + ")"));
        return new ImportRefusedException(errors);
    }

    /** Returns a rule as YAML; empty if a node would refuse it. */
    private String text(RuleDraft rule, List<Note> notes) {
        notes.addAll(rule.notes());
        if (!rule.hasLimits()) {
            return "";
        }
        String text = YamlText.item(rule.value());
        if (RuleDocument.parse(file, "rules:\n" + text) instanceof Refused refused) {
            notes.add(new Note(
                    Note.Severity.WARNING,
                    rule.spot(),
                    "not imported, because the rule would be refused: "
                            + refused.errors().get(0).message()));
            return "";
        }
        return text;
    }

    private static void comment(StringBuilder out, String text) {
        String rest = text;
        String start = "  # ";
        while (rest.length() > COMMENT_WIDTH) {
            int cut = rest.lastIndexOf(' ', COMMENT_WIDTH);
            int end = cut <= 0 ? COMMENT_WIDTH : cut;
            out.append(start).append(rest, 0, end).append('\n');
            rest = rest.substring(end).strip();
            start = "  #   ";
        }
        out.append(start).append(rest).append('\n');
    }

    private String unique(String wanted) {
        StringBuilder legal = new StringBuilder();
        for (int i = 0; i < wanted.length() && legal.length() < LONGEST_ID; i++) {
            char c = wanted.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.';
            boolean separates = !plain && !legal.isEmpty() && legal.charAt(legal.length() - 1) != '-';
            if (plain || separates) {
                legal.append(plain ? c : '-');
            }
        }
        while (!legal.isEmpty() && legal.charAt(legal.length() - 1) == '-') {
            legal.setLength(legal.length() - 1);
        }
        String id = legal.isEmpty() ? "rule" : legal.toString();
        String free = id;
        while (!ids.add(free)) {
            free = id + "-" + repeated.merge(id, 2, (seen, first) -> seen + 1);
        }
        return free;
    }
}
