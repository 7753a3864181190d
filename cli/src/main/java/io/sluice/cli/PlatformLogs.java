package io.sluice.cli;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the messages that libraries log through {@link System.Logger} to the program's log. */
public final class PlatformLogs extends System.LoggerFinder {

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Bridge(name);
    }

    private static final class Bridge implements System.Logger {

        private final String name;
        private volatile @Nullable Logger logger;

        Bridge(String name) {
            this.name = name;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.OFF && logger().isEnabledForLevel(of(level));
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                logger().atLevel(of(level)).setCause(thrown).log(message);
            }
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {
            if (isLoggable(level)) {
                boolean plain = parameters == null || parameters.length == 0;
                logger().atLevel(of(level)).log(plain ? format : MessageFormat.format(format, parameters));
            }
        }

        /** Creates the logger on first use, because the first loggers are requested before logging is set up. */
        private Logger logger() {
            Logger current = logger;
            if (current == null) {
                current = LoggerFactory.getLogger(name);
                logger = current;
            }
            return current;
        }

        private static org.slf4j.event.Level of(Level level) {
            return switch (level) {
                case ALL, TRACE -> org.slf4j.event.Level.TRACE;
                case DEBUG -> org.slf4j.event.Level.DEBUG;
                case INFO -> org.slf4j.event.Level.INFO;
                case WARNING -> org.slf4j.event.Level.WARN;
                case ERROR, OFF -> org.slf4j.event.Level.ERROR;
            };
        }
    }
}
