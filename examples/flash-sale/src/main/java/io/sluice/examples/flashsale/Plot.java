package io.sluice.examples.flashsale;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Draws the decisions of each second: all arrivals above, the admitted ones and the limit below. */
final class Plot {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 640;
    private static final int LEFT = 100;
    private static final int RIGHT = 970;
    private static final int PAPER = 0xFFFFFF;
    private static final int INK = 0x30363D;
    private static final int GRID = 0xE4E8EC;
    private static final int ADMITTED = 0x1A7F5A;
    private static final int REFUSED = 0xE3A6A0;
    private static final int LIMIT = 0xB42318;
    private static final int LETTER = 14;

    private final Canvas canvas = new Canvas(WIDTH, HEIGHT, PAPER);
    private final List<Tally.Second> seconds;
    private final long limit;

    private Plot(List<Tally.Second> seconds, long limit) {
        this.seconds = seconds;
        this.limit = limit;
    }

    static void write(Tally tally, long limit, Path file) {
        Plot plot = new Plot(tally.seconds(), limit);
        plot.draw();
        plot.canvas.write(file);
    }

    private void draw() {
        canvas.text(
                LEFT, 22, String.format(Locale.ROOT, "FLASH SALE: THREE SHOPS, ONE LIMIT OF %,d ORDERS/S", limit), INK);
        legend();
        long most = seconds.stream().mapToLong(Tally.Second::arrived).max().orElse(0);
        Scale all = new Scale(100, 320, Math.max(most, limit));
        Scale admitted = new Scale(390, 570, Math.max(mostAdmitted(), limit) * 6 / 5);
        panel(all, "ARRIVED PER SECOND");
        panel(admitted, "ADMITTED PER SECOND");
        for (int i = 0; i < seconds.size(); i++) {
            Tally.Second second = seconds.get(i);
            bar(all, i, second.arrived(), REFUSED);
            bar(all, i, second.admitted(), ADMITTED);
            bar(admitted, i, second.admitted(), ADMITTED);
        }
        for (Scale scale : List.of(all, admitted)) {
            canvas.dashes(LEFT, scale.y(limit) - 1, RIGHT - LEFT, LIMIT);
            canvas.fill(LEFT - 2, scale.top, 2, scale.bottom - scale.top + 2, INK);
            canvas.fill(LEFT - 2, scale.bottom, RIGHT - LEFT + 2, 2, INK);
            times(scale);
        }
        canvas.textBefore(RIGHT, 616, "SECONDS BY REDIS CLOCK", INK);
    }

    private void legend() {
        int x = LEFT;
        for (Entry entry : List.of(
                new Entry("ADMITTED", ADMITTED), new Entry("REFUSED WITH 429", REFUSED), new Entry("LIMIT", LIMIT))) {
            boolean line = entry.color == LIMIT;
            canvas.fill(x, line ? 58 : 52, LETTER, line ? 2 : LETTER, entry.color);
            canvas.text(x + 22, 52, entry.text, INK);
            x += 22 + Canvas.width(entry.text) + 36;
        }
    }

    private void panel(Scale scale, String title) {
        for (long value = 0; value <= scale.most; value += scale.step()) {
            canvas.fill(LEFT, scale.y(value), RIGHT - LEFT, 1, GRID);
            canvas.textBefore(LEFT - 12, scale.y(value) - LETTER / 2, String.format(Locale.ROOT, "%,d", value), INK);
        }
        canvas.textBefore(RIGHT, scale.top - 24, title, INK);
    }

    private void bar(Scale scale, int index, long value, int color) {
        int left = x(index);
        int gap = x(index + 1) - left > 8 ? 3 : 1;
        canvas.fill(left + gap, scale.y(value), x(index + 1) - left - gap, scale.bottom - scale.y(value), color);
    }

    /** Labels every second, or as many as fit. */
    private void times(Scale scale) {
        int every = Math.max(1, (int) Math.ceil(40.0 * seconds.size() / (RIGHT - LEFT)));
        for (int i = 0; i < seconds.size(); i += every) {
            String label = Integer.toString(i + 1);
            canvas.text((x(i) + x(i + 1) - Canvas.width(label)) / 2 + 1, scale.bottom + 10, label, INK);
        }
    }

    private int x(int index) {
        return LEFT + (RIGHT - LEFT) * index / Math.max(1, seconds.size());
    }

    private long mostAdmitted() {
        return seconds.stream().mapToLong(Tally.Second::admitted).max().orElse(0);
    }

    private record Entry(String text, int color) {}

    /**
     * Maps values to heights.
     *
     * @param most the value at the top
     */
    private record Scale(int top, int bottom, long most) {

        int y(long value) {
            return bottom - (int) (value * (bottom - top) / Math.max(1, most));
        }

        /** Returns 1, 2 or 5 times a power of ten, so that there are three to seven lines. */
        long step() {
            long step = 1;
            while (true) {
                for (long factor : new long[] {1, 2, 5}) {
                    if (most / (step * factor) <= 6) {
                        return step * factor;
                    }
                }
                step *= 10;
            }
        }
    }
}
