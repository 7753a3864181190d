package io.sluice.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Detects whether an output is a terminal, and whether to use colours. */
public final class Terminal {

    private static final int OUT = 1;
    private static final int ERR = 2;

    private Terminal() {}

    /** Returns whether standard output is a terminal. */
    public static boolean isOut() {
        return is(OUT);
    }

    /** Returns whether standard error is a terminal. */
    public static boolean isErr() {
        return is(ERR);
    }

    /** Returns true on a terminal with colours, unless {@code NO_COLOR} is set. */
    public static boolean likesColour(Map<String, String> environment) {
        return isOut()
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
    }

    @SuppressWarnings("SystemConsoleNull") // without /proc this is the best that older releases offer
    private static boolean is(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return System.console() != null;
        }
    }
}
