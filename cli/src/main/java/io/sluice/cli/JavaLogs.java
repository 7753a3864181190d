package io.sluice.cli;

import ch.qos.logback.classic.Level;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages that libraries log through {@code java.util.logging} to the program's log. The default handler would write
 * them to standard error, and the thread that logs would wait for the reader of standard error.
 */
final class JavaLogs extends Handler {

    private static final Formatter TEXT = new SimpleFormatter();

    private static final java.util.logging.Logger ROOT = java.util.logging.Logger.getLogger("");

    private JavaLogs() {}

    /** Replaces all other handlers. */
    static void install() {
        LogManager.getLogManager().reset();
        ROOT.addHandler(new JavaLogs());
    }

    /** Sets the least severe level. Messages below it are not even created. */
    static void set(Level level) {
        ROOT.setLevel(
                switch (level.toInt()) {
                    case Level.ERROR_INT -> java.util.logging.Level.SEVERE;
                    case Level.WARN_INT -> java.util.logging.Level.WARNING;
                    case Level.INFO_INT -> java.util.logging.Level.INFO;
                    case Level.DEBUG_INT -> java.util.logging.Level.FINE;
                    default -> java.util.logging.Level.ALL;
                });
    }

    @Override
    public void publish(LogRecord message) {
        String name = message.getLoggerName();
        Logger logger = LoggerFactory.getLogger(name == null || name.isEmpty() ? Logger.ROOT_LOGGER_NAME : name);
        org.slf4j.event.Level level = of(message.getLevel());
        if (logger.isEnabledForLevel(level)) {
            logger.atLevel(level).setCause(message.getThrown()).log(TEXT.formatMessage(message));
        }
    }

    private static org.slf4j.event.Level of(java.util.logging.Level level) {
        int severity = level.intValue();
        if (severity >= java.util.logging.Level.SEVERE.intValue()) {
            return org.slf4j.event.Level.ERROR;
        }
        if (severity >= java.util.logging.Level.WARNING.intValue()) {
            return org.slf4j.event.Level.WARN;
        }
        if (severity >= java.util.logging.Level.INFO.intValue()) {
            return org.slf4j.event.Level.INFO;
        }
        return severity >= java.util.logging.Level.FINE.intValue()
                ? org.slf4j.event.Level.DEBUG
                : org.slf4j.event.Level.TRACE;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
