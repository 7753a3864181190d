package io.sluice.examples.flashsale;

/** A line that overwrites itself on a terminal. Elsewhere each update is a line of its own. Thread-safe. */
final class ProgressLine {

    private final boolean rewrites;
    private boolean open;

    /** @param rewrites whether the output is a terminal */
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

    /** Prints a line that stays. */
    synchronized void keep(String text) {
        if (open) {
            System.out.print("\r\033[K");
            open = false;
        }
        System.out.println(text);
    }
}
