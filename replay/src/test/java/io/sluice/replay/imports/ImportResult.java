package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.model.Rule;
import java.util.List;

/** A configuration that was imported for a test, with the rules of the document. */
public record ImportResult(Imported imported, List<Rule> rules) {

    /** Imports a text. Fails if it is refused, or if the document has errors. */
    public static ImportResult of(ImportKind kind, String name, String text) {
        try {
            return of(kind.importer().read(ForeignFile.of(name, text)));
        } catch (ImportRefusedException e) {
            throw new AssertionError(e.errors().toString(), e);
        }
    }

    /** Reads the document of an import. Fails if it has errors. */
    public static ImportResult of(Imported imported) {
        RuleDocument document = RuleDocument.parse("imported.yaml", imported.document());
        assertThat(document).as(imported.document()).isInstanceOf(Accepted.class);
        return new ImportResult(imported, ((Accepted) document).rules());
    }

    /** Returns the document without its comments. */
    public String bare() {
        StringBuilder bare = new StringBuilder();
        imported.document()
                .lines()
                .filter(line -> !line.stripLeading().startsWith("#"))
                .forEach(line -> bare.append(line).append('\n'));
        return bare.toString();
    }

    public List<String> warnings() {
        return imported.warnings().stream().map(Object::toString).toList();
    }

    /** Returns the errors with which a text is refused. */
    public static List<String> errors(ImportKind kind, String name, String text) {
        try {
            Imported imported = kind.importer().read(ForeignFile.of(name, text));
            throw new AssertionError("not refused: " + imported.document());
        } catch (ImportRefusedException e) {
            return e.errors().stream().map(Object::toString).toList();
        }
    }
}
