package io.sluice.replay.imports.draft;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A rule document that is being written. Each rule is parsed as a node would parse it: one that a node would refuse becomes a
 * warning, so the result never has errors. Not thread-safe.
 */
public final class DocumentDraft {

    private static final int LONGEST_ID = 100;
    private static final int COMMENT_WIDTH = 130;

    private final String file;
    private final String kind;
    private final Set<String> ids = new HashSet<>();
    private final Map<String, Integer> repeated = new HashMap<>();
    private final List<Part> parts = new ArrayList<>();
    private final DraftVolume volume = new DraftVolume();

    /** A part of the document: a rule, or a note that belongs to none. */
    private interface Part {

        /** Returns the rule as YAML, empty if there is none, and adds the notes above it. */
        String text(List<Note> notes);
    }

    private DocumentDraft(String file, String kind) {
        this.file = file;
        this.kind = kind;
    }

    /** Writes a document. */
    public interface Content {

        void write(DocumentDraft draft) throws ImportRefusedException;
    }

    /**
     * Writes a document, and refuses one that becomes too large.
     *
     * @param kind the limiter that the rules come from
     */
    public static Imported write(String file, String kind, Content content) throws ImportRefusedException {
        DocumentDraft draft = new DocumentDraft(file, kind);
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

    /** Adds a rule that is complete. */
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

    /** Returns the document. */
    public Imported imported() {
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
        StringBuilder document = new StringBuilder("# Rules of ").append(kind);
        document.append(", imported by ./sluice import. Check them with ./sluice lint.\n");
        if (empty) {
            document.append(rules).append("rules: []\n");
        } else {
            document.append("rules:\n").append(rules);
        }
        return new Imported(document.toString(), notes);
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
