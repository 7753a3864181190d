package io.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of the program: to the standard error, through a queue that nobody waits for. Made by Logback when it starts. */
public final class Logs extends ContextAwareBase implements Configurator {

    /** How lines look. */
    enum Format {
        /** As a person sees it on a terminal, as a program reads it elsewhere. */
        AUTO,
        JSON,
        TEXT
    }

    /** How much is told. */
    enum Detail {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    private static final Duration LAST_LINES_MAY_TAKE = Duration.ofMillis(300);

    /** Libraries that say at length what the program says better. */
    private static final List<String> TALKATIVE = List.of("io.netty", "io.lettuce");

    private static final LogQueue QUEUE =
            new LogQueue(new FileOutputStream(FileDescriptor.err), LogForm.TEXT, LAST_LINES_MAY_TAKE);

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        QUEUE.setContext(context);
        QUEUE.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(QUEUE);
        set(context, Detail.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Sets how much is told, and how, from now on. */
    static void set(Format format, Detail detail) {
        boolean json = format == Format.JSON || (format == Format.AUTO && !Terminal.isErr());
        QUEUE.become(json ? LogForm.JSON : LogForm.TEXT);
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            set(context, detail);
        }
    }

    /** How many lines were dropped. */
    static long dropped() {
        return QUEUE.dropped();
    }

    /** Ends the log, and gives its last lines a moment to be written; to be called before the process ends. */
    static void end() {
        QUEUE.stop();
    }

    private static void set(LoggerContext context, Detail detail) {
        Level own = Level.valueOf(detail.name());
        boolean all = detail == Detail.TRACE;
        Level others = all ? own : own.isGreaterOrEqual(Level.WARN) ? own : Level.WARN;
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(others);
        context.getLogger("io.sluice").setLevel(own);
        for (String name : TALKATIVE) {
            context.getLogger(name).setLevel(all ? own : Level.ERROR);
        }
    }
}
