package io.sluice.replay.report;

import io.sluice.replay.run.CallerResult;
import io.sluice.replay.run.Differences;
import io.sluice.replay.run.LimitResult;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.replay.run.Series;
import io.sluice.rules.model.Action;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Writes a result as one self-contained HTML page, without network access or scripts. */
public final class ReplayPage {

    private static final int CHART = 240;
    private static final int SMALL_CHART = 120;

    /** The maximum number of rules with details. A page with more details would be too long to read. */
    private static final int MOST_DETAILS = 100;

    private static final int MOST_ROWS = 2_000;

    private final ReplayResult result;
    private final StringBuilder out = new StringBuilder(65_536);

    private ReplayPage(ReplayResult result) {
        this.result = result;
    }

    /**
     * Returns the page.
     *
     * @param title the title, which names the rules
     */
    public static String of(ReplayResult result, String title) {
        return new ReplayPage(result).page(title);
    }

    private String page(String title) {
        out.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        out.append("<meta name=\"color-scheme\" content=\"light dark\">\n");
        out.append(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
        out.append("<title>Replay of ").append(HtmlText.of(title)).append("</title>\n<style>\n");
        out.append(style()).append("</style>\n</head>\n<body>\n<main>\n");
        heading(title);
        tiles();
        if (result.requests() > 0) {
            Series all = result.set().series();
            section("Requests by time", legend(all) + SvgChart.of(all, result.toMicros(), CHART, "Requests by time"));
        }
        findings();
        result.against().ifPresent(this::against);
        rules();
        details();
        unreadable();
        out.append("</main>\n</body>\n</html>\n");
        return out.toString();
    }

    private static String style() {
        try (InputStream in = Objects.requireNonNull(ReplayPage.class.getResourceAsStream("page.css"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void heading(String title) {
        out.append("<header><h1>Replay of ").append(HtmlText.of(title)).append("</h1>\n<p>");
        if (result.requests() == 0) {
            out.append("The logs have no requests.");
        } else {
            out.append(ReportTime.second(result.fromMicros()))
                    .append(" to ")
                    .append(ReportTime.second(result.toMicros()))
                    .append(" UTC, ")
                    .append(ReportTime.span(result.toMicros() - result.fromMicros()))
                    .append(". ");
        }
        out.append(
                result.log().formats().size() == 1
                        ? "1 file"
                        : result.log().formats().size() + " files");
        out.append(" (")
                .append(HtmlText.of(String.join(
                        ", ",
                        result.log().formats().values().stream().distinct().toList())));
        out.append(").</p></header>\n");
    }

    private void tiles() {
        long refused = result.set().refused();
        long refusing =
                result.set().rules().stream().filter(rule -> rule.refused() > 0).count();
        out.append("<section class=\"tiles\">\n");
        tile("Requests", ReportTime.count(result.requests()), "");
        tile("Allowed", ReportTime.count(result.set().allowed()), "good");
        tile("Refused", ReportTime.count(refused), refused > 0 ? "bad" : "");
        tile("Share refused", ReportTime.share(refused, result.requests()), "");
        tile("Rules that refuse", refusing + " of " + result.set().rules().size(), "");
        out.append("</section>\n");
    }

    private void tile(String name, String value, String kind) {
        out.append("<div class=\"tile ")
                .append(kind)
                .append("\"><span>")
                .append(name)
                .append("</span><strong>");
        out.append(HtmlText.of(value)).append("</strong></div>\n");
    }

    private static String legend(Series series) {
        return "<p class=\"legend\"><i class=\"allowed\"></i> allowed <i class=\"refused\"></i> refused, in steps of "
                + ReportTime.span(series.stepMicros()) + "</p>\n";
    }

    private void section(String title, String body) {
        out.append("<section><h2>").append(title).append("</h2>\n").append(body).append("</section>\n");
    }

    private void findings() {
        List<String> findings = Findings.of(result);
        if (!findings.isEmpty()) {
            StringBuilder list = new StringBuilder("<ul class=\"findings\">\n");
            findings.forEach(
                    each -> list.append("<li>").append(HtmlText.of(each)).append("</li>\n"));
            section("To know", list.append("</ul>\n").toString());
        }
    }

    private void against(Differences other) {
        StringBuilder body = new StringBuilder();
        body.append(String.format(
                Locale.ROOT,
                "<p><b>%s</b> requests are newly refused, <b>%s</b> newly allowed; %s pass and %s are refused under both.</p>%n",
                ReportTime.count(other.newlyRefused()),
                ReportTime.count(other.newlyAllowed()),
                ReportTime.count(other.bothAllow()),
                ReportTime.count(other.bothRefuse())));
        if (!other.rules().isEmpty()) {
            body.append("<div class=\"wide\"><table><thead><tr><th>Rule</th><th class=\"n\">Newly refused</th>");
            body.append("<th class=\"n\">Newly allowed</th></tr></thead><tbody>\n");
            for (Differences.RuleDifference each : other.rules()) {
                body.append("<tr><td>").append(HtmlText.of(each.rule())).append("</td>");
                body.append(number(each.newlyRefused()))
                        .append(number(each.newlyAllowed()))
                        .append("</tr>\n");
            }
            body.append("</tbody></table></div>\n");
        }
        section("Compared with the other rules", body.toString());
    }

    private void rules() {
        StringBuilder body =
                new StringBuilder("<div class=\"wide\"><table><thead><tr><th>Rule</th><th class=\"n\">Matched</th>");
        body.append(
                "<th class=\"n\">Allowed</th><th class=\"n\">Refused</th><th>Share</th><th class=\"n\">Callers refused</th>");
        body.append(
                "<th class=\"n\">Peak per second</th><th>First refused</th><th>Worst minute</th></tr></thead><tbody>\n");
        List<RuleResult> shown = byRefusals().stream().limit(MOST_ROWS).toList();
        shown.forEach(rule -> row(rule, body));
        body.append("</tbody></table></div>\n");
        int more = result.set().rules().size() - shown.size();
        section("Rules", body + (more > 0 ? "<p>" + ReportTime.count(more) + " more rules are not shown.</p>\n" : ""));
    }

    private List<RuleResult> byRefusals() {
        return result.set().rules().stream()
                .sorted(Comparator.comparingLong(RuleResult::refused).reversed())
                .toList();
    }

    private static void row(RuleResult rule, StringBuilder body) {
        body.append(rule.matched() == 0 ? "<tr class=\"idle\"><td>" : "<tr><td>");
        body.append(HtmlText.of(rule.rule().id()));
        badges(rule, body);
        body.append("</td>")
                .append(number(rule.matched()))
                .append(number(rule.allowed()))
                .append(number(rule.refused()));
        double share = rule.matched() == 0 ? 0 : 100.0 * rule.refused() / rule.matched();
        body.append(String.format(
                Locale.ROOT,
                "<td><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span> %s</td>",
                share,
                HtmlText.of(ReportTime.share(rule.refused(), rule.matched()))));
        body.append("<td class=\"n\">").append(rule.callersAtLeast() ? "at least " : "");
        body.append(ReportTime.count(rule.callersRefused())).append("</td>");
        body.append(number(rule.peak().count()));
        body.append("<td>")
                .append(rule.refused() == 0 ? "" : ReportTime.minute(rule.firstRefusedMicros()))
                .append("</td><td>");
        if (rule.worst().count() > 0) {
            body.append(ReportTime.minute(rule.worst().atMicros()))
                    .append(", ")
                    .append(ReportTime.count(rule.worst().count()));
        }
        body.append("</td></tr>\n");
    }

    private static void badges(RuleResult rule, StringBuilder body) {
        if (rule.rule().shadow()) {
            badge("shadow", body);
        }
        if (rule.rule().action() != Action.LIMIT) {
            badge(rule.rule().action().word(), body);
        }
        rule.idle().ifPresent(why -> badge(why, body));
        if (rule.inexact().isPresent()) {
            badge("not exact", body);
        }
    }

    private static void badge(String text, StringBuilder body) {
        body.append(" <span class=\"badge\">").append(HtmlText.of(text)).append("</span>");
    }

    private static String number(long value) {
        return "<td class=\"n\">" + ReportTime.count(value) + "</td>";
    }

    private void details() {
        byRefusals().stream()
                .filter(rule -> rule.refused() + rule.wouldRefuse() > 0)
                .limit(MOST_DETAILS)
                .forEach(this::details);
    }

    private void details(RuleResult rule) {
        StringBuilder body = new StringBuilder();
        rule.rule().about().name().ifPresent(name -> body.append("<p>")
                .append(HtmlText.of(name))
                .append("</p>\n"));
        rule.series()
                .ifPresent(series -> body.append(SvgChart.of(
                        series,
                        result.toMicros(),
                        SMALL_CHART,
                        "Refusals of " + rule.rule().id())));
        body.append(
                "<div class=\"pair\">\n<table><thead><tr><th>Limit</th><th>Amount</th><th class=\"n\">Refused</th>");
        body.append("<th class=\"n\">Would refuse</th></tr></thead><tbody>\n");
        for (LimitResult limit : rule.limits()) {
            body.append("<tr><td>")
                    .append(HtmlText.of(limit.id()))
                    .append("</td><td>")
                    .append(HtmlText.of(limit.amount()));
            body.append("</td>")
                    .append(number(limit.refused()))
                    .append(number(limit.wouldRefuse()))
                    .append("</tr>\n");
        }
        body.append("</tbody></table>\n");
        if (!rule.top().isEmpty()) {
            long most = Math.max(1, rule.top().get(0).refused());
            body.append(
                    "<table><thead><tr><th>Caller, masked</th><th></th><th class=\"n\">Refused</th></tr></thead><tbody>\n");
            for (CallerResult caller : rule.top()) {
                body.append("<tr><td>").append(HtmlText.of(caller.caller()));
                body.append(String.format(
                        Locale.ROOT,
                        "</td><td><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span></td>",
                        100.0 * caller.refused() / most));
                body.append(number(caller.refused())).append("</tr>\n");
            }
            body.append("</tbody></table>\n");
        }
        section("Rule " + HtmlText.of(rule.rule().id()), body.append("</div>\n").toString());
    }

    private void unreadable() {
        if (result.log().unreadable() > 0) {
            StringBuilder list = new StringBuilder("<ul class=\"lines\">\n");
            result.log().firstUnreadable().forEach(line -> list.append("<li><code>")
                    .append(HtmlText.of(line))
                    .append("</code></li>\n"));
            section(
                    "The first lines that could not be read",
                    list.append("</ul>\n").toString());
        }
    }
}
