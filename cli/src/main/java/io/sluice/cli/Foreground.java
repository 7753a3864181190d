package io.sluice.cli;

import io.sluice.center.CenterStartException;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.node.config.StartFailedException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a role until the process is asked to stop. */
final class Foreground {

    private final PrintWriter out;
    private final PrintWriter err;

    Foreground(CommandSpec spec) {
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
    }

    /** Starts a role. */
    interface Role {
        Started start() throws StartFailedException, CenterStartException;
    }

    /**
     * A running role. It is shown only after signals are handled, so that a signal stops it cleanly.
     *
     * @param running stops the role when it is closed
     * @param show prints the addresses of the role
     */
    record Started(AutoCloseable running, Runnable show) {}

    /** Runs a role. Returns only if the start failed; a stop ends the process. */
    int run(Role role) {
        Stop stop = new Stop(out);
        Thread hook = new Thread(stop::now, "sluice-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        Signals.on(stop::heard, "INT", "TERM");
        try {
            Started started = role.start();
            stop.running(started.running());
            started.show().run();
            new CountDownLatch(1).await();
            return CommandLine.ExitCode.OK;
        } catch (StartFailedException e) {
            Runtime.getRuntime().removeShutdownHook(hook);
            int code = failed(e.getMessage(), e.details());
            return e.isFileUnreadable() ? CommandLine.ExitCode.USAGE : code;
        } catch (CenterStartException e) {
            Runtime.getRuntime().removeShutdownHook(hook);
            return failed(e.getMessage(), List.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CommandLine.ExitCode.OK;
        } catch (RuntimeException | Error e) {
            stop.failed();
            return failed("unexpected error: " + e + " (this is a bug; please report it)", List.of());
        }
    }

    /** Prints the errors of a configuration and returns the exit code. */
    int failed(ConfigRefusedException refused) {
        return failed(
                refused.getMessage(),
                refused.errors().stream().map(Object::toString).toList());
    }

    /** Prints the reason for a failed start and returns the exit code. */
    int failed(@Nullable String message, List<String> details) {
        details.forEach(err::println);
        err.println("sluice: " + message);
        return CommandLine.ExitCode.SOFTWARE;
    }
}
