package io.sluice.core.spi;

import java.nio.channels.ClosedChannelException;
import java.util.regex.Pattern;

/** The first failure of a chain of causes, for messages and logs. */
public final class RootCause {

    /** The text that Netty writes before the words of the operating system, such as {@code finishConnect(..) failed with error(-111): }. */
    private static final Pattern NATIVE_CALL =
            Pattern.compile("^\\w+\\(\\.\\.\\) failed(?: with error\\(-?\\d+\\))?: ");

    private RootCause() {}

    /** Returns the first failure of a chain of causes. */
    public static Throwable of(Throwable failure) {
        Throwable root = failure;
        for (Throwable next = root.getCause(); next != null && next != root; next = root.getCause()) {
            root = next;
        }
        return root;
    }

    /** Returns the message of the first failure, without the names and numbers of native calls. */
    public static String words(Throwable failure) {
        Throwable root = of(failure);
        String message = root.getMessage();
        if (message == null && root instanceof ClosedChannelException) {
            return "connection closed";
        }
        return message == null
                ? root.getClass().getSimpleName()
                : NATIVE_CALL.matcher(message).replaceFirst("");
    }
}
