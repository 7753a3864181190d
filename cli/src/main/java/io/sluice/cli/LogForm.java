package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;

/** How lines of the log look: for people, or for programs. */
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

    /** What stands where lines are missing, with its end. */
    abstract String dropped(long lines);

    private static String words(long lines) {
        return lines + (lines == 1 ? " line" : " lines") + " of the log dropped, nobody took them in time";
    }
}
