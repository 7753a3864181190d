package io.sluice.benchmarks.keep;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/** Draws what passed a limit, second by second and class by class, as an SVG picture with one panel for each run. */
final class OverloadPicture {

    /** A run and its title. */
    record Panel(String title, Shares shares) {}

    private static final int WIDTH = 960;
    private static final int PANEL = 250;
    private static final int LEFT = 70;
    private static final int RIGHT = 150;
    private static final int TOP = 44;
    private static final int BOTTOM = 30;

    private final Overload overload;
    private final long most;
    private final Formatter out = new Formatter(Locale.ROOT);

    private OverloadPicture(Overload overload) {
        this.overload = overload;
        this.most = overload.limit() * 3 / 2;
    }

    static String of(Overload overload, List<Panel> panels) {
        return new OverloadPicture(overload).draw(panels);
    }

    private String draw(List<Panel> panels) {
        int height = PANEL * panels.size();
        out.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n",
                WIDTH, height);
        out.format("<title>Requests per second that pass a shared limit under overload</title>\n");
        out.format("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, height);
        for (int i = 0; i < panels.size(); i++) {
            out.format("<g transform=\"translate(0 %d)\">\n", PANEL * i);
            panel(panels.get(i));
            out.format("</g>\n");
        }
        out.format("</svg>\n");
        return out.toString();
    }

    private void panel(Panel panel) {
        text(LEFT, 24, "start", "font-weight=\"bold\" font-size=\"15\"", panel.title());
        for (long value = 0; value <= most; value += overload.limit() / 2) {
            out.format(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                    LEFT, WIDTH - RIGHT, y(value), y(value));
            text(LEFT - 8, y(value) + 4, "end", "fill=\"#555555\"", String.format(Locale.ROOT, "%,d", value));
        }
        Shares shares = panel.shares();
        double width = x(1) - x(0);
        for (int second = 0; second < shares.seconds(); second++) {
            long below = 0;
            for (Plan plan : Plan.values()) {
                long passed = shares.admitted(plan, second);
                if (passed > 0) {
                    out.format(
                            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                            x(second), y(below + passed), width - 1, y(below) - y(below + passed), plan.colour());
                    below += passed;
                }
            }
        }
        limit();
        topDemand();
        legend(shares);
        for (int second = 0; second <= shares.seconds(); second += 10) {
            text(x(second), PANEL - 10, "middle", "fill=\"#555555\"", second + " s");
        }
    }

    private void limit() {
        double y = y(overload.limit());
        out.format(
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#b03030\" stroke-width=\"1.5\"/>\n",
                LEFT, WIDTH - RIGHT, y, y);
        text(WIDTH - RIGHT + 8, y + 4, "start", "fill=\"#b03030\"", "limit");
    }

    /** Draws how much the top class asks for. */
    private void topDemand() {
        StringBuilder path = new StringBuilder();
        for (int second = 0; second < overload.seconds(); second++) {
            double y = y(overload.perSecond(Plan.TOP, second));
            path.append(String.format(
                    Locale.ROOT, "%s%.1f %.1f L%.1f %.1f ", second == 0 ? "M" : "L", x(second), y, x(second + 1), y));
        }
        out.format(
                "<path d=\"%s\" fill=\"none\" stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n",
                path.toString().strip());
    }

    private void legend(Shares shares) {
        int left = WIDTH - RIGHT + 8;
        double y = y(overload.limit()) + 32;
        for (Plan plan : List.of(Plan.BATCH, Plan.FREE, Plan.TOP)) {
            out.format(
                    "<rect x=\"%d\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n",
                    left, y - 10, plan.colour());
            text(left + 17, y, "start", "", plan.word());
            y += 20;
        }
        out.format(
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n",
                left - 2, left + 14, y - 5, y - 5);
        text(left + 17, y, "start", "", "wanted by top");
        long lost = shares.offeredSince(Plan.TOP, 0) - shares.admittedSince(Plan.TOP, 0);
        String share = lost == 0
                ? "top loses nothing"
                : String.format(Locale.ROOT, "top loses %.0f %%", 100.0 * lost / shares.offeredSince(Plan.TOP, 0));
        text(left, y + 26, "start", "font-weight=\"bold\"", share);
    }

    private double x(int second) {
        return LEFT + (double) (WIDTH - LEFT - RIGHT) * second / overload.seconds();
    }

    private double y(long value) {
        return TOP + (PANEL - TOP - BOTTOM) * (1 - (double) Math.min(value, most) / most);
    }

    private void text(double x, double y, String anchor, String attributes, String text) {
        out.format(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n",
                x, y, anchor, attributes.isEmpty() ? "" : " " + attributes, text);
    }
}
