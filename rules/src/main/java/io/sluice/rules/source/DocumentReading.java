package io.sluice.rules.source;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;

/** What a {@link DocumentSource} found. */
public sealed interface DocumentReading {

    /** The source has the revision that is known, or cannot tell yet whether it has another one. */
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

    /** The source has something that cannot be read. */
    record Unreadable(RefusedSet refused) implements DocumentReading {}

    /**
     * The source cannot be reached, or does not let this process read.
     *
     * @param why as a part of a sentence
     * @param answered whether it answered. An answer will not change by itself, so it is not asked again soon
     */
    record Unreachable(String why, boolean answered) implements DocumentReading {}
}
