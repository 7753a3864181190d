package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.sluice.redis.RedisUri;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Formats a log event as one line of text or JSON. Messages cannot break the line or move the cursor: control characters and
 * characters that change the text direction are escaped. Passwords in addresses are hidden.
 */
final class LogLine {

    private static final int LONGEST = 4_096;
    private static final int MOST_FRAMES = 12;
    private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");
    private static final Pattern REDIS = Pattern.compile("rediss?(?:-[a-z]+)?://[^\\s\"]*");

    private LogLine() {}

    /** Formats an event as text: {@code 14:03:07 WARN  message}. */
    static String text(ILoggingEvent event) {
        String time = LocalTime.ofInstant(Instant.ofEpochMilli(event.getTimeStamp()), ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .format(DateTimeFormatter.ISO_LOCAL_TIME);
        StringBuilder line = new StringBuilder(128);
        line.append(time).append(' ').append(String.format("%-5s ", event.getLevel()));
        escape(message(event), line, false);
        String failure = failure(event);
        if (!failure.isEmpty()) {
            line.append(" (");
            escape(failure, line, false);
            line.append(')');
        }
        return line.toString();
    }

    /** Formats an event as {@code {"time":"…","level":"warn","logger":"…","message":"…"}}, plus {@code error} if there is one. */
    static String json(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(192);
        line.append("{\"time\":\"").append(Instant.ofEpochMilli(event.getTimeStamp()));
        line.append("\",\"level\":\"")
                .append(event.getLevel().toString().toLowerCase(Locale.ROOT))
                .append("\",\"logger\":\"");
        escape(event.getLoggerName(), line, true);
        line.append("\",\"message\":\"");
        escape(message(event), line, true);
        String failure = failure(event);
        if (!failure.isEmpty()) {
            line.append("\",\"error\":\"");
            escape(failure, line, true);
        }
        return line.append("\"}").toString();
    }

    private static String message(ILoggingEvent event) {
        return hidden(String.valueOf(event.getFormattedMessage()));
    }

    private static String hidden(String text) {
        if (!text.contains("//")) {
            return text;
        }
        String shown = REDIS.matcher(text).replaceAll(uri -> Matcher.quoteReplacement(RedisUri.shown(uri.group())));
        return CREDENTIALS.matcher(shown).replaceAll("//***@");
    }

    /** Returns the exception and its causes, each with its stack frames. */
    private static String failure(ILoggingEvent event) {
        StringBuilder text = new StringBuilder();
        IThrowableProxy failure = event.getThrowableProxy();
        for (int depth = 0; failure != null && depth < 5; depth++) {
            text.append(depth == 0 ? "" : ", caused by ").append(failure.getClassName());
            text.append(failure.getMessage() == null ? "" : ": " + failure.getMessage());
            StackTraceElementProxy[] frames = failure.getStackTraceElementProxyArray();
            for (int i = 0; frames != null && i < Math.min(MOST_FRAMES, frames.length); i++) {
                text.append(i == 0 ? " at " : " < ").append(frames[i].getStackTraceElement());
            }
            failure = failure.getCause();
        }
        return hidden(text.toString());
    }

    private static void escape(String text, StringBuilder line, boolean quoted) {
        int end = Math.min(text.length(), LONGEST);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (quoted && (c == '"' || c == '\\')) {
                line.append('\\').append(c);
            } else if (isUnsafe(c)) {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        if (end < text.length()) {
            line.append('…');
        }
    }

    private static boolean isUnsafe(char c) {
        return c < ' ' || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    }
}
