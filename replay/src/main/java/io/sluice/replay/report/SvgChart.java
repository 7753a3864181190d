package io.sluice.replay.report;

import io.sluice.replay.run.Series;
import java.util.Locale;

/** Draws counts by time as bars of an SVG picture. Refused requests are drawn on top of allowed requests. */
final class SvgChart {

    private static final int WIDTH = 960;
    private static final int LEFT = 64;
    private static final int BOTTOM = 24;
    private static final int TOP = 8;
    private static final int LABELS = 5;

    private final Series series;
    private final int height;
    private final int steps;
    private final StringBuilder out = new StringBuilder(4_096);

    private SvgChart(Series series, long toMicros, int height) {
        this.series = series;
        this.height = height;
        long spanned = (toMicros - series.startMicros()) / series.stepMicros() + 1;
        this.steps = (int) Math.max(spanned, series.allowed().size());
    }

    /**
     * Returns a picture.
     *
     * @param toMicros the end of the picture, so that the pictures of all rules show the same time
     * @param title the title for screen readers
     */
    static String of(Series series, long toMicros, int height, String title) {
        return new SvgChart(series, toMicros, height).draw(title);
    }

    private String draw(String title) {
        long most = 1;
        for (int i = 0; i < series.allowed().size(); i++) {
            most = Math.max(most, series.allowed().get(i) + series.refused().get(i));
        }
        long top = round(most);
        double width = (double) (WIDTH - LEFT) / steps;
        out.append("<svg class=\"chart\" viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append("\" role=\"img\"><title>");
        out.append(HtmlText.of(title)).append("</title>\n");
        grid(top);
        for (int i = 0; i < series.allowed().size(); i++) {
            long allowed = series.allowed().get(i);
            long refused = series.refused().get(i);
            if (allowed + refused > 0) {
                double x = LEFT + i * width;
                out.append("<g><title>")
                        .append(ReportTime.second(series.startMicros() + i * series.stepMicros()))
                        .append(" UTC, ")
                        .append(ReportTime.span(series.stepMicros()))
                        .append(": ")
                        .append(ReportTime.count(allowed))
                        .append(" allowed, ")
                        .append(ReportTime.count(refused))
                        .append(" refused</title>");
                bar(x, width, 0, allowed, top, "allowed");
                bar(x, width, allowed, refused, top, "refused");
                out.append("</g>\n");
            }
        }
        times();
        return out.append("</svg>\n").toString();
    }

    private void grid(long top) {
        for (int i = 0; i <= 2; i++) {
            long value = top * i / 2;
            double y = y(value, top);
            out.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    LEFT,
                    WIDTH,
                    y,
                    y));
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                    LEFT - 8,
                    y + 4,
                    ReportTime.count(value)));
        }
    }

    private void times() {
        int labels = Math.min(LABELS, steps);
        long span = steps * series.stepMicros();
        for (int i = 0; i < labels; i++) {
            long at = series.startMicros() + span * i / labels;
            String text = span < 10 * 60_000_000L
                    ? ReportTime.second(at).substring(11)
                    : ReportTime.minute(at).substring(5);
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\">%s</text>%n",
                    LEFT + (double) (WIDTH - LEFT) * i / labels,
                    height - 6,
                    text));
        }
    }

    private void bar(double x, double width, long below, long count, long top, String kind) {
        if (count > 0) {
            double high = y(below + count, top);
            // A single refusal among thousands of requests has to be visible.
            double tall = Math.max(1.5, y(below, top) - high);
            out.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                    kind,
                    x,
                    y(below, top) - tall,
                    Math.max(0.8, width * 0.86),
                    tall));
        }
    }

    private double y(long value, long top) {
        return TOP + (height - TOP - BOTTOM) * (1 - (double) value / top);
    }

    /** Returns the next number that is easy to read: 1, 2 or 5 with zeros, and even. */
    private static long round(long value) {
        long unit = 1;
        while (unit * 10 <= value) {
            unit *= 10;
        }
        for (long step : new long[] {1, 2, 5, 10}) {
            if (unit * step >= value) {
                return Math.max(2, unit * step);
            }
        }
        return value;
    }
}
