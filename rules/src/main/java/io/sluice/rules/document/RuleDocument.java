package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.Warnings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The result of reading a rule document: either its rules or all of its errors. */
public sealed interface RuleDocument {

    /**
     * Reads YAML or JSON.
     *
     * @param file the name of the document in errors
     */
    static RuleDocument parse(String file, String text) {
        return parseAll(List.of(new Text(file, text)));
    }

    /**
     * Reads documents that form one set, such as the files of a directory, in their order. Rule ids must be unique in the whole
     * set.
     */
    static RuleDocument parseAll(Iterable<Text> texts) {
        RuleIds ids = new RuleIds();
        List<Rule> rules = new ArrayList<>();
        List<DocumentError> all = new ArrayList<>();
        List<Warnings> warnings = new ArrayList<>();
        for (Text text : texts) {
            Errors errors = new Errors(text.file());
            rules.addAll(RuleReader.read(text.text(), ids, errors));
            all.addAll(errors.list());
            warnings.add(errors.warnings());
        }
        return all.isEmpty()
                ? new Accepted(rules, together(warnings), ids.places())
                : new Refused(all, together(warnings));
    }

    /** Returns the warnings of a set. An attribute that one document of the set declares is known in all its documents. */
    private static List<DocumentError> together(List<Warnings> warnings) {
        Set<String> declared = new HashSet<>();
        warnings.forEach(each -> declared.addAll(each.declared()));
        return warnings.stream().flatMap(each -> each.list(declared).stream()).toList();
    }

    /** Reads a document that is a single rule, not a list of rules. It cannot declare attributes, so it has no warnings. */
    static RuleDocument parseRule(String file, String text) {
        Errors errors = new Errors(file);
        List<Rule> rules = RuleReader.readOne(text, errors);
        return errors.isEmpty() ? new Accepted(rules) : new Refused(errors.list());
    }

    /**
     * A document to read.
     *
     * @param file the name of the document in errors
     */
    record Text(String file, String text) {}

    /** Returns warnings about legal content that the author probably did not intend. */
    List<DocumentError> warnings();

    /** The place of a rule, which is the place of its id. */
    record RulePlace(String file, Place place) {

        /** Returns a warning at this place. */
        public DocumentError warning(String message) {
            return new DocumentError(file, place.line(), place.column(), message);
        }
    }

    /**
     * A document without errors. Two documents are equal if their rules and warnings are equal; the places do not matter.
     *
     * @param places the places of the rules, by id; empty if they are unknown
     */
    record Accepted(List<Rule> rules, List<DocumentError> warnings, Map<String, RulePlace> places)
            implements RuleDocument {
        public Accepted {
            rules = List.copyOf(rules);
            warnings = List.copyOf(warnings);
            places = Collections.unmodifiableMap(places);
        }

        /** Creates a document whose rules have no places. */
        public Accepted(List<Rule> rules, List<DocumentError> warnings) {
            this(rules, warnings, Map.of());
        }

        /** Creates a document without warnings. */
        public Accepted(List<Rule> rules) {
            this(rules, List.of());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Accepted that && rules.equals(that.rules) && warnings.equals(that.warnings);
        }

        @Override
        public int hashCode() {
            return Objects.hash(rules, warnings);
        }
    }

    /** A document with at least one error. None of its rules may be used. */
    record Refused(List<DocumentError> errors, List<DocumentError> warnings) implements RuleDocument {
        public Refused {
            errors = List.copyOf(errors);
            warnings = List.copyOf(warnings);
        }

        /** Creates a document without warnings. */
        public Refused(List<DocumentError> errors) {
            this(errors, List.of());
        }
    }
}
