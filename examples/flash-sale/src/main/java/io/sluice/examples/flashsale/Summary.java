package io.sluice.examples.flashsale;

import java.util.Locale;

/** The table at the end, and its meaning in a few sentences. */
final class Summary {

    private Summary() {}

    static String of(Rush.Result result) {
        StringBuilder text = new StringBuilder("\n second   arrived  admitted   refused  degraded\n");
        int number = 1;
        for (Tally.Second second : result.tally().seconds()) {
            line(text, Integer.toString(number++), second, result.options().limit());
        }
        line(text, "all", result.tally().total(), Long.MAX_VALUE);
        rush(text, result);
        answers(text, result);
        long over = result.tally().seconds().stream()
                .filter(second -> second.admitted() > result.options().limit())
                .count();
        return text.append(
                        over == 0
                                ? say(
                                        "limit held: no second had more than %,d orders",
                                        result.options().limit())
                                : say(
                                        "LIMIT EXCEEDED: %d seconds had more than %,d orders",
                                        over, result.options().limit()))
                .toString();
    }

    private static void line(StringBuilder text, String name, Tally.Second second, long limit) {
        text.append(String.format(
                Locale.ROOT,
                "%7s %,9d %,9d %,9d %,9d%s%n",
                name,
                second.arrived(),
                second.admitted(),
                second.refused(),
                second.degraded(),
                second.admitted() > limit ? "  exceeds the limit" : ""));
    }

    private static void rush(StringBuilder text, Rush.Result result) {
        Tally rush = result.rush();
        if (rush.seconds().isEmpty()) {
            return;
        }
        double seconds = rush.seconds().size();
        double arrived = rush.total().arrived() / seconds;
        double admitted = rush.total().admitted() / seconds;
        text.append(say(
                        "\nrush: %,.0f/s arrived, %.1f times the limit",
                        arrived, arrived / result.options().limit()))
                .append(say(
                        "      %,.1f/s admitted, %.2f %% of the limit",
                        admitted, 100 * admitted / result.options().limit()));
        if (arrived < 0.95 * result.options().rate()) {
            text.append(say(
                    "      this machine could not send %,d/s: try --limit %d",
                    result.options().rate(), rounded(arrived / 10)));
        }
    }

    /** Rounds down to one significant digit. */
    private static long rounded(double value) {
        long unit = 1;
        while (value / unit >= 10) {
            unit *= 10;
        }
        return Math.max(1, (long) (value / unit) * unit);
    }

    private static void answers(StringBuilder text, Rush.Result result) {
        Answers answers = result.answers();
        text.append(say(
                        "responses: %,d × 201, %,d × 429 (%,d without Retry-After), %,d other, %,d lost, of %,d sent",
                        answers.created(),
                        answers.refused(),
                        answers.withoutWhen(),
                        answers.failed(),
                        result.sent() - answers.created() - answers.refused() - answers.failed(),
                        result.sent()))
                .append(say(
                        "latency from the scheduled time: 50 %% within %.1f ms, 99 %% within %.1f ms",
                        answers.withinMillis(0.5), answers.withinMillis(0.99)));
    }

    private static String say(String form, Object... values) {
        return String.format(Locale.ROOT, form, values) + "\n";
    }
}
