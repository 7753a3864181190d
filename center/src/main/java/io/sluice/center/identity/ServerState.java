package io.sluice.center.identity;

import io.sluice.center.command.LogText;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether an identity server works, for the log, and how many requests wait for it. A server that hangs may not keep all threads
 * of the center waiting. Thread-safe.
 */
final class ServerState {

    private static final Logger LOG = LoggerFactory.getLogger(ServerState.class);
    private static final int MOST_WAITING = 8;

    private final String name;
    private final Semaphore free = new Semaphore(MOST_WAITING);
    private final AtomicBoolean isUp = new AtomicBoolean(true);

    /**
     * Creates a state.
     *
     * @param name such as {@code oidc.corp}
     */
    ServerState(String name) {
        this.name = name;
    }

    /** A conversation with a server. */
    interface Call<T> {
        T run() throws SignInFailedException;
    }

    /**
     * Talks to the server.
     *
     * @throws SignInFailedException also if too many requests wait for the server already
     */
    <T> T call(Call<T> call) throws SignInFailedException {
        if (!free.tryAcquire()) {
            throw new SignInFailedException(SignInProblem.UNAVAILABLE, "too many requests wait for the server");
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Threads that clients start on the way must not belong to the web application.
        thread.setContextClassLoader(ServerState.class.getClassLoader());
        try {
            T result = call.run();
            if (isUp.compareAndSet(false, true)) {
                LOG.info("{}: the identity server answers again", name);
            }
            return result;
        } catch (SignInFailedException e) {
            note(e);
            throw e;
        } finally {
            thread.setContextClassLoader(before);
            free.release();
        }
    }

    private void note(SignInFailedException failure) {
        if (failure.problem() == SignInProblem.UNAVAILABLE) {
            if (isUp.compareAndSet(true, false)) {
                LOG.warn(
                        "{}: {}; nobody can sign in through this server until it answers, local accounts can",
                        name,
                        why(failure));
            }
        } else {
            LOG.info("{}: sign-in refused: {}", name, why(failure));
        }
    }

    /** A part of it may be what the server said. */
    private static String why(SignInFailedException failure) {
        return LogText.line(String.valueOf(failure.getMessage()));
    }
}
