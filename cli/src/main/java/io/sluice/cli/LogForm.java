package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;

/** The format of log lines: text for people, or JSON for programs. */
enum LogForm {
    TEXT {
        @Override
        String line(ILoggingEvent event) {
            return LogLine.text(event);
        }

        @Override
        String dropped(long lines) {
            return "         WARN  " + words(lines) + "\n";
        }
    },
    JSON {
        @Override
        String line(ILoggingEvent event) {
            return LogLine.json(event);
        }

        @Override
        String dropped(long lines) {
            return "{\"level\":\"warn\",\"logger\":\"" + LogQueue.class.getName() + "\",\"message\":\"" + words(lines)
                    + "\"}\n";
        }
    };

    abstract String line(ILoggingEvent event);

    /** Returns the line that replaces dropped lines, including the line break. */
    abstract String dropped(long lines);

    private static String words(long lines) {
        return lines + (lines == 1 ? " line" : " lines") + " dropped from the log because the output could not keep up";
    }
}
