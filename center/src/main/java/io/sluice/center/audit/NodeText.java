package io.sluice.center.audit;

/** Makes text from a node safe to display: at most 300 characters, no line breaks, no terminal escape sequences. */
public final class NodeText {

    private static final int LONGEST = 300;

    private NodeText() {}

    public static String printable(String text) {
        String begin = text.substring(0, Math.min(LONGEST, text.length()));
        return begin.replaceAll("\\p{C}", "?") + (text.length() > LONGEST ? "…" : "");
    }
}
