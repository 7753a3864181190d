package io.sluice.rules.source;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.Optional;

/** The result of reading a {@link DocumentSource}. */
public sealed interface DocumentReading {

    /** The source has the revision that is known, or does not know yet whether it has another one. */
    record Unchanged() implements DocumentReading {}

    /**
     * The source is there but has no rules. Rules in force stay in force, because a source that lost its content must not disable all limits.
     *
     * @param why the error while there are rules in force
     */
    record Missing(DocumentError why) implements DocumentReading {}

    /**
     * Documents that together are one set of rules without a number of its own, or their errors.
     *
     * @param revision equal for equal documents
     */
    record Documents(Object revision, RuleDocument document) implements DocumentReading {}

    /**
     * A set that was released under a number of its own, with what comes on top of it.
     *
     * @param rules the set; the object that is in force already if it is the same release
     * @param trial the set that some callers try; empty if they try none
     * @param refused why a part of what is there is not used; empty if all of it is
     */
    record Released(RuleSet rules, Optional<CallerTrial> trial, Adjustments adjustments, Optional<RefusedSet> refused)
            implements DocumentReading {}

    /** The source has something that cannot be read. */
    record Unreadable(RefusedSet refused) implements DocumentReading {}

    /**
     * The source cannot be reached, or does not let this process read.
     *
     * @param why as a part of a sentence
     * @param answered whether it answered. An answer is logged, because it will not change by itself
     * @param soon whether it is asked again at once, after a short pause
     */
    record Unreachable(String why, boolean answered, boolean soon) implements DocumentReading {}
}
