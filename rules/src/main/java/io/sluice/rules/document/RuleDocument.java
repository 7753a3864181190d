package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import java.util.ArrayList;
import java.util.List;

/** What became of a rule document: rules, or all that is wrong with it. */
public sealed interface RuleDocument {

    /**
     * Reads YAML or JSON.
     *
     * @param file what errors call it
     */
    static RuleDocument parse(String file, String text) {
        return parseAll(List.of(new Text(file, text)));
    }

    /** Reads documents that make one set, such as the files of a directory, one after the other; ids differ in all of them. */
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

    /** Reads a document that is one rule, and not a list of them. */
    static RuleDocument parseRule(String file, String text) {
        Errors errors = new Errors(file);
        List<Rule> rules = RuleReader.readOne(text, errors);
        return errors.isEmpty() ? new Accepted(rules) : new Refused(errors.list());
    }

    /**
     * A document to be read.
     *
     * @param file what errors call it
     */
    record Text(String file, String text) {}

    /** A document without an error. */
    record Accepted(List<Rule> rules) implements RuleDocument {
        public Accepted {
            rules = List.copyOf(rules);
        }
    }

    /** A document with errors, at least one; none of its rules may be used. */
    record Refused(List<DocumentError> errors) implements RuleDocument {
        public Refused {
            errors = List.copyOf(errors);
        }
    }
}
