package io.sluice.cli.replay;

import io.sluice.replay.advice.Advice;
import io.sluice.replay.advice.CallerNeed;
import io.sluice.replay.advice.LimitAdvice;
import io.sluice.replay.report.ReportTime;
import io.sluice.rules.changes.LimitWords;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** Prints advice for people: a table of the numbers, the callers that determine them, their refusals, and further remarks. */
final class AdviceText {

    private static final int MOST_ROWS = 100;

    private final PrintWriter out;
    private final ReplayText text;

    AdviceText(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.text = new ReplayText(out, ansi);
    }

    void print(Advice advice) {
        out.println("Each limit refuses " + advice.goal().words() + "; headroom "
                + advice.goal().headroom() + ".");
        List<LimitAdvice> limits =
                advice.limits().subList(0, Math.min(MOST_ROWS, advice.limits().size()));
        if (!limits.isEmpty()) {
            out.println();
            text.table(numbers(limits));
            out.println();
            text.table(callers(limits));
        }
        if (advice.limits().size() > MOST_ROWS) {
            out.println("  … and " + ReportTime.count(advice.limits().size() - MOST_ROWS)
                    + " more limits; --json has all of them");
        }
        out.println();
        boolean empty = advice.result().requests() == 0;
        String summary = text.summary(advice.result());
        out.println(empty ? summary : "With the suggested numbers: " + summary + ".");
        advice.result()
                .against()
                .filter(today -> !empty)
                .ifPresent(today -> out.println("Today's numbers refuse "
                        + ReportTime.count(today.other().refused()) + " of them."));
        if (!advice.findings().isEmpty()) {
            out.println();
            advice.findings().forEach(each -> out.println(text.styled("! ", Style.fg_yellow) + each));
        }
    }

    private static List<List<String>> numbers(List<LimitAdvice> limits) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LIMIT", "TODAY", "NEEDED", "SUGGESTED", "REFUSES", "CALLERS"));
        for (LimitAdvice limit : limits) {
            rows.add(List.of(
                    limit.today().id() + (limit.rule().shadow() ? " (shadow)" : ""),
                    LimitWords.amount(limit.today().limit()),
                    limit.kept().isPresent() ? "-" : LimitWords.amount(limit.needed()),
                    limit.kept().map(why -> "stays: " + why).orElse(LimitWords.amount(limit.suggested())),
                    ReportTime.count(limit.refused()),
                    ReportTime.count(limit.callersRefused())));
        }
        return rows;
    }

    private static List<List<String>> callers(List<LimitAdvice> limits) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LIMIT", "REQUESTS", "CALLERS", "SET BY (NEEDS)", "LEFT OUT (NEEDS)"));
        for (LimitAdvice limit : limits) {
            rows.add(List.of(
                    limit.today().id(),
                    ReportTime.count(limit.requests()),
                    (limit.callersAtLeast() ? "≥ " : "") + ReportTime.count(limit.callers()),
                    names(limit.setters()),
                    names(limit.leftOut())));
        }
        return rows;
    }

    /** Returns the names of callers. Callers whose masked names are equal are counted: {@code 203.0.113.* (30) ×2}. */
    private static String names(List<CallerNeed> callers) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        callers.forEach(each -> counts.merge(each.toString(), 1, Integer::sum));
        return counts.isEmpty()
                ? "-"
                : counts.entrySet().stream()
                        .map(each -> each.getKey() + (each.getValue() == 1 ? "" : " ×" + each.getValue()))
                        .collect(Collectors.joining(", "));
    }
}
