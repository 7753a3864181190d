package io.sluice.replay.imports.draft;

import java.util.List;

/**
 * The result of an import.
 *
 * @param document a rule document in YAML without errors; its comments contain all notes
 * @param notes the notes, in the order of the document
 */
public record Imported(String document, List<Note> notes) {

    public Imported {
        notes = List.copyOf(notes);
    }

    /** Returns the notes about differences. */
    public List<Note> warnings() {
        return notes.stream().filter(Note::isWarning).toList();
    }
}
