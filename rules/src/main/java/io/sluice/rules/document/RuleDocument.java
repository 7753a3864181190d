package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import java.util.ArrayList;
import java.util.List;

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
        for (Text text : texts) {
            Errors errors = new Errors(text.file());
            rules.addAll(RuleReader.read(text.text(), ids, errors));
            all.addAll(errors.list());
        }
        return all.isEmpty() ? new Accepted(rules) : new Refused(all);
    }

    /** Reads a document that is a single rule, not a list of rules. */
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

    /** A document without errors. */
    record Accepted(List<Rule> rules) implements RuleDocument {
        public Accepted {
            rules = List.copyOf(rules);
        }
    }

    /** A document with at least one error. None of its rules may be used. */
    record Refused(List<DocumentError> errors) implements RuleDocument {
        public Refused {
            errors = List.copyOf(errors);
        }
    }
}
