package io.sluice.replay.report;

import io.sluice.replay.run.LogSummary;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.replay.run.SetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes sentences about everything that a reader of the figures has to know. */
public final class Findings {

    private Findings() {}

    /** Returns the sentences; sentences that cast doubt on the figures come first. */
    public static List<String> of(ReplayResult result) {
        List<String> findings = new ArrayList<>();
        for (RuleResult rule : result.set().rules()) {
            rule.inexact()
                    .ifPresent(
                            inexact -> findings.add(
                                    "Rule " + rule.rule().id() + " is not exact from " + inexact.from() + " on: "
                                            + ReportTime.count(inexact.decisions())
                                            + " decisions were made on counts that several callers share. More --max-keys make it exact."));
        }
        LogSummary log = result.log();
        if (log.unreadable() > 0) {
            findings.add(lines(log.unreadable()) + " could not be read.");
        }
        if (log.late() > 0) {
            findings.add(lines(log.late()) + " left out: more than a minute behind the lines before.");
        }
        log.damaged().forEach(each -> findings.add("Damaged: " + each));
        if (!log.missing().isEmpty() && result.requests() > 0) {
            findings.add("No request has these attributes, which rules name: " + String.join(", ", log.missing())
                    + ". --field and --attr provide them.");
        }
        findings.addAll(result.set().notes());
        unmatched(result.set()).ifPresent(findings::add);
        return findings;
    }

    private static String lines(long count) {
        return count == 1 ? "1 line" : ReportTime.count(count) + " lines";
    }

    private static Optional<String> unmatched(SetResult set) {
        List<String> never = set.rules().stream()
                .filter(rule -> rule.matched() == 0 && rule.idle().isEmpty())
                .map(rule -> rule.rule().id())
                .toList();
        if (never.isEmpty()) {
            return Optional.empty();
        }
        int shown = Math.min(20, never.size());
        return Optional.of("Never matched: " + String.join(", ", never.subList(0, shown))
                + (never.size() > shown ? " and " + (never.size() - shown) + " more" : "") + ".");
    }
}
