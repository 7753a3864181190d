package io.sluice.runtime;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Captures what a class logs instead of printing it. */
public final class CapturedLog implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    public CapturedLog(Class<?> type) {
        logger = (Logger) LoggerFactory.getLogger(type);
        events.list = new CopyOnWriteArrayList<>();
        events.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(events);
    }

    public List<String> lines() {
        return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(events);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
