package io.sluice.center.dryrun;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a change would have refused.
 *
 * @param askedFrom the beginning of the time that was asked for
 * @param from from when on all nodes that answered have recordings; null if none did
 * @param to the end of that time
 * @param requests the recorded requests of that time; only those that rules you may read apply to, unless you may read all rules
 * @param refusedBefore how many of them the rules in force refuse
 * @param refusedAfter how many of them the changed rules refuse
 * @param newlyRefused those that only the changed rules refuse
 * @param newlyAllowed those that only the rules in force refuse
 * @param callers how many callers the newly refused requests come from
 * @param callersAtLeast whether there may be more
 * @param firstRefused the first newly refused request; null without one
 * @param worstMinute the minute with most newly refused requests; null without one
 * @param rules those that the change touches, and those whose refusals it changes
 * @param topCallers the callers with most newly refused requests, masked
 * @param notes what a reader of the figures has to know
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
     * @param answered how many sent recorded requests
     * @param silent how many record, but did not answer in time or not in a readable way
     * @param notRecording how many record nothing
     * @param silentNames which ones were silent; empty without the right to see the fleet
     */
    public record Nodes(int answered, int silent, int notRecording, List<String> silentNames) {

        public Nodes {
            silentNames = List.copyOf(silentNames);
        }
    }

    /** A minute, and how many requests it has. */
    public record Minute(Instant at, long requests) {}

    /**
     * A rule.
     *
     * @param change what becomes of the rule, in the words of {@link TriedChange#change}
     * @param matched the requests that it applies to after the change
     * @param refusedBefore the requests that it refuses before the change
     * @param refusedAfter the requests that it refuses after it
     * @param newlyRefused the requests that it refuses after the change, and that passed before
     * @param newlyAllowed the requests that it refused before, and that pass after the change
     * @param callers how many callers the newly refused requests come from
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
     * A caller, masked.
     *
     * @param by the attributes that tell callers apart, such as {@code tenant,user}
     */
    public record RefusedCaller(String rule, String by, String caller, long newlyRefused) {}

    /**
     * Something to know about the figures.
     *
     * @param kind names the sentence, for programs
     * @param rule the rule that it is about; null for all
     * @param names attributes, rules or nodes that it names
     * @param count a number in it; null without one
     * @param at a time in it; null without one
     * @param text the sentence
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
