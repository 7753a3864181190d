package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;

/** Reads the YAML or JSON of a foreign configuration, and writes the document that is made from it. */
public final class ForeignTree {

    private static final int MOST_DOCUMENTS = 100;

    private ForeignTree() {}

    /**
     * Converts the root of each document in a file.
     *
     * @param conversion the conversion, which adds rules and errors
     */
    public static Imported convert(ForeignFile file, ForeignFormat format, Conversion conversion)
            throws ImportRefusedException {
        return DocumentDraft.write(file.name(), format, draft -> {
            Errors errors = new Errors(file.name());
            errors.within(() -> {
                for (YamlValue root : roots(file, errors)) {
                    draft.found(root);
                    conversion.convert(root, draft, errors);
                }
                return true;
            });
            if (!errors.isEmpty()) {
                throw new ImportRefusedException(errors.list());
            }
        });
    }

    /** Converts one document. */
    public interface Conversion {

        void convert(YamlValue root, DocumentDraft draft, Errors errors);
    }

    private static List<YamlValue> roots(ForeignFile file, Errors errors) {
        List<YamlValue> roots = new ArrayList<>();
        List<String> texts = documents(file.text());
        if (texts.size() > MOST_DOCUMENTS) {
            errors.add(
                    Place.START,
                    "documents: " + texts.size() + " (expected: at most " + MOST_DOCUMENTS + " in one file)");
            return roots;
        }
        for (String text : texts) {
            YamlReader.read(file.name(), text, errors).ifPresent(roots::add);
        }
        return roots;
    }

    /**
     * Splits a file at lines of three dashes. The lines before a document are replaced by empty lines, so that line numbers
     * stay right.
     */
    private static List<String> documents(String text) {
        List<String> documents = new ArrayList<>();
        int begin = 0;
        int lines = 0;
        int at = 0;
        int line = 0;
        while (at <= text.length()) {
            int newline = text.indexOf('\n', at);
            int end = newline < 0 ? text.length() : newline;
            boolean last = newline < 0;
            boolean separates = text.startsWith("---", at)
                    && text.substring(at, end).strip().equals("---");
            if (separates || last) {
                String document = text.substring(begin, separates ? at : text.length());
                if (hasContent(document) || (last && documents.isEmpty())) {
                    documents.add("\n".repeat(lines) + document);
                }
                begin = Math.min(text.length(), end + 1);
                lines = line + 1;
            }
            line++;
            at = last ? text.length() + 1 : end + 1;
        }
        return documents;
    }

    private static boolean hasContent(String document) {
        return document.lines()
                .anyMatch(line -> !line.isBlank() && !line.stripLeading().startsWith("#"));
    }
}
