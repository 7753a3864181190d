package io.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.sluice.cli.terminal.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program's log: standard error, behind a queue that no caller waits for. Logback creates this class when it starts. */
public final class Logs extends ContextAwareBase implements Configurator {

    /** The format of log lines. */
    enum Format {
        /** Text on a terminal, JSON otherwise. */
        AUTO,
        JSON,
        TEXT
    }

    /** The least severe level that Sluice's own code logs. */
    enum Detail {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    private static final Duration LAST_LINES_MAY_TAKE = Duration.ofMillis(300);

    /**
     * Loggers of libraries that report at length what the program reports briefly, and Vert.x's warning about every pause of an event loop,
     * which a busy machine causes while classes are loaded.
     */
    private static final List<String> TALKATIVE =
            List.of("io.netty", "io.lettuce", "io.vertx.core.impl.BlockedThreadChecker", "org.apache.kafka");

    /** Loggers of Spring Boot that describe a failed start, which the program reports in one line. */
    private static final List<String> SILENT = List.of(
            "org.springframework.boot.SpringApplication",
            "org.springframework.boot.diagnostics",
            "org.springframework.boot.web.server.servlet.context");

    private static final LogQueue QUEUE = new LogQueue(standardError(), LogForm.TEXT, LAST_LINES_MAY_TAKE);

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        QUEUE.setContext(context);
        QUEUE.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(QUEUE);
        set(context, Detail.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /**
     * Redirects to the log all output that would bypass the queue on its way to standard error: {@code java.util.logging}, {@code
     * System.err}, and the JVM's report of threads that failed. Call it before any library logs.
     */
    static void begin() {
        JavaLogs.install();
        System.setErr(new PrintStream(new ErrorLines(), true, StandardCharsets.UTF_8));
        Logger log = LoggerFactory.getLogger(Logs.class);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> log.error(
                "the thread {} ended unexpectedly (this is a bug; please report it)", thread.getName(), failure));
    }

    /** Sets the format and the level from now on. */
    static void set(Format format, Detail detail) {
        boolean json = format == Format.JSON || (format == Format.AUTO && !Terminal.isErr());
        QUEUE.become(json ? LogForm.JSON : LogForm.TEXT);
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            set(context, detail);
        }
    }

    /**
     * Returns the standard error of the process. If {@code System.err} has been replaced before the log starts, returns the replacement:
     * test runners capture the output of a test there.
     */
    private static OutputStream standardError() {
        return System.err.getClass() == PrintStream.class ? new FileOutputStream(FileDescriptor.err) : System.err;
    }

    /** Returns the number of dropped lines. */
    static long dropped() {
        return QUEUE.dropped();
    }

    /** Stops the log and waits briefly for its last lines to be written. Call it before the process ends. */
    static void end() {
        QUEUE.stop();
    }

    /**
     * Sets the level of Sluice's own loggers. Libraries never log below warnings: the details of the Redis client, for example, contain the
     * password and the keys of callers.
     */
    private static void set(LoggerContext context, Detail detail) {
        Level own = Level.valueOf(detail.name());
        Level others = own.isGreaterOrEqual(Level.WARN) ? own : Level.WARN;
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(others);
        JavaLogs.set(others);
        context.getLogger("io.sluice").setLevel(own);
        for (String name : TALKATIVE) {
            context.getLogger(name).setLevel(Level.ERROR);
        }
        for (String name : SILENT) {
            context.getLogger(name).setLevel(Level.OFF);
        }
    }
}
