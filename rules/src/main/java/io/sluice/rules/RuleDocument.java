package io.sluice.rules;

import io.sluice.rules.internal.RuleFiles;
import io.sluice.rules.internal.RuleReader;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import java.nio.file.Path;
import java.util.List;

/** What became of a rule document: rules, or all that is wrong with it. */
public sealed interface RuleDocument {

    /**
     * Reads YAML or JSON.
     *
     * @param file what errors call it
     */
    static RuleDocument parse(String file, String text) {
        Errors errors = new Errors(file);
        List<Rule> rules = RuleReader.read(file, text, errors);
        return errors.isEmpty() ? new Accepted(rules) : new Refused(errors.list());
    }

    /** Reads a file; that it cannot be read is an error like others. */
    static RuleDocument read(Path file) {
        return RuleFiles.read(file).document();
    }

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
