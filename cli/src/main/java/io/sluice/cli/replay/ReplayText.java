package io.sluice.cli.replay;

import io.sluice.replay.report.Findings;
import io.sluice.replay.report.ReportTime;
import io.sluice.replay.run.Differences;
import io.sluice.replay.run.LimitResult;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** Prints the result of a replay for people: a sentence, tables, and further remarks. */
final class ReplayText {

    private static final int MOST_ROWS = 100;

    private final PrintWriter out;
    private final Ansi ansi;

    ReplayText(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    void print(ReplayResult result) {
        out.println(summary(result));
        List<RuleResult> rules = result.set().rules().stream()
                .sorted(Comparator.comparingLong(RuleResult::refused).reversed())
                .toList();
        if (!rules.isEmpty()) {
            out.println();
            table(rulesTable(rules.subList(0, Math.min(MOST_ROWS, rules.size()))));
            if (rules.size() > MOST_ROWS) {
                out.println("  … and " + ReportTime.count(rules.size() - MOST_ROWS)
                        + " more rules; --json has all of them");
            }
        }
        limits(rules);
        result.against().ifPresent(this::against);
        List<String> findings = Findings.of(result);
        if (!findings.isEmpty()) {
            out.println();
            findings.forEach(finding -> out.println(styled("! ", Style.fg_yellow) + finding));
        }
    }

    String summary(ReplayResult result) {
        if (result.requests() == 0) {
            return "The logs have no requests.";
        }
        return ReportTime.count(result.requests()) + " requests from " + ReportTime.second(result.fromMicros()) + " to "
                + ReportTime.second(result.toMicros()) + " UTC: "
                + styled(ReportTime.count(result.set().allowed()) + " allowed", Style.fg_green) + ", "
                + styled(
                        ReportTime.count(result.set().refused()) + " refused",
                        result.set().refused() > 0 ? Style.fg_red : Style.bold)
                + " (" + ReportTime.share(result.set().refused(), result.requests()) + ")";
    }

    private static List<List<String>> rulesTable(List<RuleResult> rules) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                List.of("RULE", "MATCHED", "ALLOWED", "REFUSED", "CALLERS", "PEAK/S", "FIRST REFUSED", "WORST MINUTE"));
        for (RuleResult rule : rules) {
            rows.add(List.of(
                    rule.rule().id()
                            + rule.idle()
                                    .map(why -> " (" + why + ")")
                                    .orElse(rule.rule().shadow() ? " (shadow)" : ""),
                    ReportTime.count(rule.matched()),
                    ReportTime.count(rule.allowed()),
                    ReportTime.count(rule.refused()),
                    (rule.callersAtLeast() ? "≥ " : "") + ReportTime.count(rule.callersRefused()),
                    ReportTime.count(rule.peak().count()),
                    rule.refused() == 0 ? "-" : ReportTime.minute(rule.firstRefusedMicros()),
                    rule.refused() == 0
                            ? "-"
                            : ReportTime.minute(rule.worst().atMicros()) + " ("
                                    + ReportTime.count(rule.worst().count()) + ")"));
        }
        return rows;
    }

    private void limits(List<RuleResult> rules) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LIMIT", "AMOUNT", "REFUSED", "WOULD REFUSE"));
        for (RuleResult rule : rules) {
            for (LimitResult limit : rule.limits()) {
                if (limit.refused() + limit.wouldRefuse() > 0 && rows.size() <= MOST_ROWS) {
                    rows.add(List.of(
                            limit.id(),
                            limit.amount(),
                            ReportTime.count(limit.refused()),
                            ReportTime.count(limit.wouldRefuse())));
                }
            }
        }
        if (rows.size() > 1) {
            out.println();
            table(rows);
        }
    }

    private void against(Differences other) {
        out.println();
        out.println("Compared with the other rules: " + ReportTime.count(other.newlyRefused())
                + " requests are newly refused, " + ReportTime.count(other.newlyAllowed()) + " newly allowed");
        if (!other.rules().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("RULE", "NEWLY REFUSED", "NEWLY ALLOWED"));
            other.rules().stream()
                    .limit(MOST_ROWS)
                    .forEach(each -> rows.add(List.of(
                            each.rule(),
                            ReportTime.count(each.newlyRefused()),
                            ReportTime.count(each.newlyAllowed()))));
            table(rows);
        }
    }

    /** Prints a table. Numbers are aligned to the right of their columns. */
    void table(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder("  ");
            for (int i = 0; i < columns; i++) {
                String cell = rows.get(r).get(i);
                String gap = " ".repeat(widths[i] - cell.length());
                line.append(isNumber(rows.get(rows.size() - 1).get(i)) ? gap + cell : cell + gap)
                        .append("  ");
            }
            String text = line.toString().stripTrailing();
            out.println(r == 0 ? styled(text, Style.bold) : text);
        }
    }

    private static boolean isNumber(String cell) {
        return cell.matches("[≥ ]*[0-9,]+");
    }

    String styled(String text, Style style) {
        return ansi.enabled() ? style.on() + text + style.off() : text;
    }
}
