package io.sluice.center;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Captures what the center logs, with the stack traces, at each level. */
final class CenterLog implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.sluice");
    private final Level level = logger.getLevel();
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    CenterLog() {
        events.list = new CopyOnWriteArrayList<>();
        events.start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(events);
    }

    /** Returns the messages, each without the stack trace that follows it. */
    List<String> lines() {
        return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Returns everything, with stack traces. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (ILoggingEvent event : events.list) {
            text.append(event.getFormattedMessage()).append('\n');
            if (event.getThrowableProxy() != null) {
                text.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        logger.detachAppender(events);
        logger.setLevel(level);
    }
}
