package io.sluice.center.dryrun;

import io.sluice.center.dryrun.DryRunReply.Note;
import io.sluice.replay.run.LogSummary;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Collects notes about the reasons to doubt the results of a dry run. Not thread-safe. */
final class DryRunNotes {

    /** Attributes that recordings contain in plain text. */
    private static final Set<String> SHOWN = Set.of("service", "path", "method");

    private static final int MOST_NAMES = 20;
    private static final long MINUTE = 60_000_000;

    private final List<Note> notes = new ArrayList<>();
    private final TriedChange change;
    private final Collection<NodeExcerpt> excerpts;

    DryRunNotes(TriedChange change, Collection<NodeExcerpt> excerpts) {
        this.change = change;
        this.excerpts = excerpts;
    }

    List<Note> of(ReplayResult result, long fromMicros, long outside) {
        conditions();
        missing(result);
        for (RuleResult rule : result.set().rules()) {
            String id = rule.rule().id();
            if (change.touched().contains(id) && rule.matched() == 0 && result.requests() > 0) {
                add("unmatched", id, List.of(), null, null, "rule " + id + " applies to none of the requests");
            }
            rule.inexact()
                    .ifPresent(inexact -> add(
                            "inexact",
                            id,
                            List.of(),
                            inexact.decisions(),
                            null,
                            "rule " + id
                                    + " has more callers than the dry run counts apart, so its figures are not exact"));
        }
        for (Rule rule : change.put()) {
            ofRule(rule);
        }
        nodes(fromMicros);
        lines(result.log(), outside);
        if (!change.seesAll()) {
            add(
                    "scope",
                    null,
                    List.of(),
                    null,
                    null,
                    "only the rules that you may read were tried, on requests that they apply to; others may refuse requests too");
        }
        if (result.requests() > 0) {
            add(
                    "empty",
                    null,
                    List.of(),
                    null,
                    micros(fromMicros),
                    "counts were unused when this time began, so limits with long windows would have refused more");
        }
        return notes;
    }

    /** Notes conditions on attributes that a recording contains only as hashes. Such conditions never hold. */
    private void conditions() {
        Set<String> plain = new TreeSet<>(SHOWN);
        excerpts.stream()
                .map(each -> each.head().plain())
                .reduce((a, b) -> {
                    Set<String> both = new TreeSet<>(a);
                    both.retainAll(b);
                    return both;
                })
                .ifPresent(plain::addAll);
        int others = 0;
        for (Rule rule : change.after().rules()) {
            Set<String> names = new TreeSet<>(rule.scope().match().keySet());
            rule.overrides().forEach(override -> names.addAll(override.when().keySet()));
            names.removeAll(plain);
            if (names.isEmpty() || !rule.enabled()) {
                continue;
            }
            if (change.touched().contains(rule.id())) {
                add(
                        "conditions",
                        rule.id(),
                        names,
                        null,
                        null,
                        "rule " + rule.id()
                                + " has conditions that cannot be tried, because recordings have only hashes of "
                                + String.join(", ", few(names)) + "; name them under record.plain of the nodes");
            } else {
                others++;
            }
        }
        if (others > 0) {
            add(
                    "other_conditions",
                    null,
                    List.of(),
                    (long) others,
                    null,
                    (others == 1 ? "1 other rule has" : others + " other rules have")
                            + " conditions that cannot be tried, because recordings have only hashes of the values");
        }
    }

    private void missing(ReplayResult result) {
        Set<String> names = new TreeSet<>(result.log().missing());
        Set<String> used = new TreeSet<>();
        change.put().forEach(rule -> {
            used.addAll(rule.scope().match().keySet());
            rule.overrides().forEach(override -> used.addAll(override.when().keySet()));
            // The attribute that replaces a missing attribute may also be missing.
            rule.limits().forEach(limit -> limit.by().forEach(by -> used.add(by.attribute())));
        });
        names.retainAll(used);
        if (!names.isEmpty() && result.requests() > 0) {
            add(
                    "missing",
                    null,
                    names,
                    null,
                    null,
                    "no request has " + String.join(", ", few(names))
                            + "; nodes record only attributes that rules in force name");
        }
    }

    private void ofRule(Rule rule) {
        if (rule.limits().stream().anyMatch(limit -> limit.limit().kind().holds())) {
            add(
                    "concurrency",
                    rule.id(),
                    List.of(),
                    null,
                    null,
                    "rule " + rule.id()
                            + " limits requests under way, and recordings do not say how long requests took");
        }
        if (rule.countsAnswers()) {
            add(
                    "answers",
                    rule.id(),
                    List.of(),
                    null,
                    null,
                    "rule " + rule.id() + " counts answers, and recordings do not have them");
        }
        if (rule.handling().mode() == Mode.LOCAL && excerpts.size() > 1) {
            add(
                    "local",
                    rule.id(),
                    List.of(),
                    null,
                    null,
                    "rule " + rule.id()
                            + " counts in each node apart, and the dry run counts the requests of all nodes together");
        }
    }

    private void nodes(long fromMicros) {
        long keys = excerpts.stream().map(each -> each.head().key()).distinct().count();
        if (keys > 1) {
            add(
                    "keys",
                    null,
                    List.of(),
                    keys,
                    null,
                    "nodes hash callers with different keys, so a caller of several nodes counts as several callers");
        }
        List<NodeExcerpt> cut =
                excerpts.stream().filter(each -> each.head().cut()).toList();
        if (!cut.isEmpty()) {
            add(
                    "cut",
                    null,
                    names(cut),
                    (long) cut.size(),
                    micros(fromMicros),
                    (cut.size() == 1 ? "a node has" : cut.size() + " nodes have")
                            + " recorded more requests than a dry run takes, so it begins later");
        }
        List<NodeExcerpt> late = excerpts.stream()
                .filter(each -> each.head().sinceMicros() > fromMicros + MINUTE)
                .toList();
        if (!late.isEmpty()) {
            add(
                    "late",
                    null,
                    names(late),
                    (long) late.size(),
                    null,
                    (late.size() == 1 ? "a node has" : late.size() + " nodes have")
                            + " recordings of a part of this time only");
        }
        List<NodeExcerpt> gaps =
                excerpts.stream().filter(each -> each.head().dropped() > 0).toList();
        if (!gaps.isEmpty()) {
            add(
                    "gaps",
                    null,
                    names(gaps),
                    (long) gaps.size(),
                    null,
                    (gaps.size() == 1
                                    ? "the recording of a node has"
                                    : "the recordings of " + gaps.size() + " nodes have")
                            + " gaps, so requests may be missing");
        }
    }

    private void lines(LogSummary log, long outside) {
        long unreadable = log.unreadable() + log.late();
        if (unreadable > 0 || !log.damaged().isEmpty()) {
            add(
                    "unreadable",
                    null,
                    List.of(),
                    unreadable,
                    null,
                    unreadable + " recorded lines could not be used"
                            + (log.damaged().isEmpty() ? "" : ", and the recording of a node ends early"));
        }
        if (outside > 0) {
            add(
                    "outside",
                    null,
                    List.of(),
                    outside,
                    null,
                    outside + " requests were left out, because they are not of this time");
        }
    }

    private List<String> names(List<NodeExcerpt> some) {
        return change.seesNodes() ? few(some.stream().map(NodeExcerpt::node).toList()) : List.of();
    }

    private static List<String> few(Collection<String> names) {
        return names.stream().limit(MOST_NAMES).toList();
    }

    private void add(
            String kind,
            @Nullable String rule,
            Collection<String> names,
            @Nullable Long count,
            @Nullable Instant at,
            String text) {
        notes.add(new Note(kind, rule, few(names), count, at, text));
    }

    static Instant micros(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
