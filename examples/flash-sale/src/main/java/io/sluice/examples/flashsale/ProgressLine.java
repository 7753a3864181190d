package io.sluice.examples.flashsale;

/** One line that rewrites itself on a terminal; anywhere else each is a line of its own. Safe for use by many threads. */
final class ProgressLine {

    private final boolean rewrites;
    private boolean open;

    /** @param rewrites whether a terminal shows it */
    ProgressLine(boolean rewrites) {
        this.rewrites = rewrites;
    }

    synchronized void show(String text) {
        if (rewrites) {
            System.out.print("\r" + text + "\033[K");
            System.out.flush();
            open = true;
        } else {
            System.out.println(text);
        }
    }

    /** What stays. */
    synchronized void keep(String text) {
        if (open) {
            System.out.print("\r\033[K");
            open = false;
        }
        System.out.println(text);
    }
}
