package io.sluice.center.dryrun;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a dry run: the requests that a change would have refused.
 *
 * @param askedFrom the start of the requested period
 * @param from the start of the period for which all nodes that answered have recordings; null if no node answered
 * @param to the end of that period
 * @param requests the number of recorded requests in that period; without the right to read all rules, only requests that a readable rule
 *     applies to
 * @param refusedBefore the number of these requests that the rules in force refuse
 * @param refusedAfter the number of these requests that the changed rules refuse
 * @param newlyRefused the number of requests that only the changed rules refuse
 * @param newlyAllowed the number of requests that only the rules in force refuse
 * @param callers the number of callers of the newly refused requests
 * @param callersAtLeast whether there may be more callers
 * @param firstRefused the time of the first newly refused request; null if there is none
 * @param worstMinute the minute with the most newly refused requests; null if there is none
 * @param rules the rules that the change touches, and the rules whose refusals it changes
 * @param topCallers the callers with the most newly refused requests, masked
 * @param notes notes that a reader of the numbers has to know
 */
public record DryRunReply(
        Instant askedFrom,
        @Nullable Instant from,
        @Nullable Instant to,
        Nodes nodes,
        long requests,
        long refusedBefore,
        long refusedAfter,
        long newlyRefused,
        long newlyAllowed,
        long callers,
        boolean callersAtLeast,
        @Nullable Instant firstRefused,
        @Nullable Minute worstMinute,
        List<TriedRule> rules,
        List<RefusedCaller> topCallers,
        List<Note> notes) {

    public DryRunReply {
        rules = List.copyOf(rules);
        topCallers = List.copyOf(topCallers);
        notes = List.copyOf(notes);
    }

    /**
     * The live nodes.
     *
     * @param answered the number of nodes that sent recorded requests
     * @param silent the number of nodes that record, but did not answer in time or in a readable form
     * @param notRecording the number of nodes that record nothing
     * @param silentNames the names of the silent nodes; empty without the right to see the fleet
     */
    public record Nodes(int answered, int silent, int notRecording, List<String> silentNames) {

        public Nodes {
            silentNames = List.copyOf(silentNames);
        }
    }

    /** A minute and the number of its requests. */
    public record Minute(Instant at, long requests) {}

    /**
     * A rule.
     *
     * @param change the effect on the rule, in the words of {@link TriedChange#change}
     * @param matched the number of requests that the rule applies to after the change
     * @param refusedBefore the number of requests that the rule refuses before the change
     * @param refusedAfter the number of requests that the rule refuses after the change
     * @param newlyRefused the number of requests that passed before the change and that the rule refuses after it
     * @param newlyAllowed the number of requests that the rule refused before the change and that pass after it
     * @param callers the number of callers of the newly refused requests
     */
    public record TriedRule(
            String rule,
            String change,
            long matched,
            long refusedBefore,
            long refusedAfter,
            long newlyRefused,
            long newlyAllowed,
            long callers) {}

    /**
     * A masked caller.
     *
     * @param by the attributes that distinguish callers, such as {@code tenant,user}
     */
    public record RefusedCaller(String rule, String by, String caller, long newlyRefused) {}

    /**
     * A note about the numbers.
     *
     * @param kind the name of the note, for programs
     * @param rule the rule that the note is about; null for all rules
     * @param names the attributes, rules or nodes that the note names
     * @param count the number in the note; null if there is none
     * @param at the time in the note; null if there is none
     * @param text the note as a sentence
     */
    public record Note(
            String kind,
            @Nullable String rule,
            List<String> names,
            @Nullable Long count,
            @Nullable Instant at,
            String text) {

        public Note {
            names = List.copyOf(names);
        }
    }
}
