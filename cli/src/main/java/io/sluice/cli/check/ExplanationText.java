package io.sluice.cli.check;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Label;
import io.sluice.rules.evaluate.Explanation.Standing;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** Prints an explanation for people: a sentence, followed by a table. Uses colours if the terminal supports them. */
final class ExplanationText {

    private static final List<String> HEADINGS = List.of("LIMIT", "LEVEL", "QUOTA", "KEY", "LEFT", "");

    private final PrintWriter out;
    private final Ansi ansi;

    ExplanationText(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    void print(Ruling.Settled ruling, List<Standing> limits) {
        out.println(verdict(ruling));
        out.println(ruling.matched().isEmpty() ? "no rule matches" : "matched: " + String.join(", ", ruling.matched()));
        if (!ruling.shadowRefused().isEmpty()) {
            out.println("would refuse if enforced:  "
                    + String.join(
                            ", ",
                            ruling.shadowRefused().stream().map(Label::limit).toList()));
        }
        if (!limits.isEmpty()) {
            out.println();
            table(limits);
        }
    }

    private String verdict(Ruling.Settled ruling) {
        String word = ruling.allowed() ? styled("allowed", Style.fg_green) : styled("refused", Style.fg_red);
        Rule rule = ruling.rule();
        if (ruling.action() != Action.LIMIT) {
            String how = ruling.action() == Action.DENY ? " by " : ", exempt by ";
            return word + how + Objects.requireNonNull(rule).id();
        }
        Ruling.Reported reported = ruling.reported();
        if (reported == null) {
            return word;
        }
        return word + " by " + reported.id() + ": " + reported.remaining() + " would remain"
                + (ruling.allowed() || ruling.retryAfter().isPresent() ? "" : ", waiting will not help");
    }

    private void table(List<Standing> limits) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        limits.forEach(limit -> rows.add(row(limit)));
        int[] widths = new int[HEADINGS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = rows.get(r).get(i);
                line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
            }
            String mark = r == 0
                    ? " "
                    : limits.get(r - 1).wouldAllow() ? styled("✓", Style.fg_green) : styled("✗", Style.fg_red);
            out.println((mark + " " + line).stripTrailing());
        }
    }

    private static List<String> row(Standing standing) {
        List<String> notes = new ArrayList<>();
        if (standing.shadow()) {
            notes.add("shadow");
        }
        if (standing.overridden()) {
            notes.add("override");
        }
        return List.of(
                standing.id(),
                standing.level().word(),
                howMuch(standing.limit()),
                standing.key().isEmpty() ? "-" : standing.key(),
                standing.remaining() + " of " + standing.limit().capacity(),
                String.join(", ", notes));
    }

    /** Returns a limit without the name of its counts, such as {@code token_bucket 50/s, burst 100}. */
    private static String howMuch(Limit limit) {
        String text = limit.toString();
        return text.substring(text.indexOf('(') + 1, text.lastIndexOf(')'));
    }

    private String styled(String text, Style style) {
        return ansi.enabled() ? style.on() + text + style.off() : text;
    }
}
