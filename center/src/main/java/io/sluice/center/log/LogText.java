package io.sluice.center.log;

import java.util.regex.Pattern;

/** Makes untrusted text fit for one line of the process's log: no line breaks, no control characters, nothing invisible. */
public final class LogText {

    private static final int LONGEST = 500;
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}\\s]+");

    private LogText() {}

    /** Returns the text on one line, cut off if it is long. */
    public static String line(String text) {
        String line = INVISIBLE.matcher(text).replaceAll(" ").strip();
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}
