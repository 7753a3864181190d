package io.sluice.center.identity.server;

import io.sluice.center.command.LogText;
import io.sluice.center.remote.Conversation;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conversations with one identity server: how many there are at once, how long each may take, and whether the server answers. A
 * server that did not answer in time is skipped until it answers a probe, so that only the first people wait for it. Thread-safe.
 */
public final class ServerState implements AutoCloseable {

    /** The time for all that a sign-in asks one server. */
    public static final Duration MAX_DURATION = Duration.ofSeconds(10);

    /** The time between two probes of a server that does not answer. */
    public static final Duration PROBE_PAUSE = Duration.ofSeconds(5);

    /** A server that hangs may not keep all threads of the center waiting. */
    public static final int MAX_AT_ONCE = 8;

    private static final Logger LOG = LoggerFactory.getLogger(ServerState.class);

    private final String name;
    private final Clock clock;
    private final Call<?> probe;
    private final Semaphore free = new Semaphore(MAX_AT_ONCE);
    private final AtomicBoolean isUp = new AtomicBoolean(true);

    // Guarded by this.
    private boolean isSkipped;
    private boolean isClosed;
    private Clock.@Nullable Alarm nextProbe;

    /**
     * Creates a state.
     *
     * @param name such as {@code oidc.corp}
     * @param probe anything that the server has to answer, whatever the answer is
     */
    public ServerState(String name, Clock clock, Call<?> probe) {
        this.name = name;
        this.clock = clock;
        this.probe = probe;
    }

    /** A conversation with a server. */
    public interface Call<T> {
        T run(Conversation conversation) throws SignInFailedException;
    }

    /**
     * Talks to the server.
     *
     * @throws SignInFailedException also if the server is skipped, or if too many requests wait for it already
     */
    public <T> T call(Call<T> call) throws SignInFailedException {
        return call(MAX_DURATION, call);
    }

    /**
     * Talks to the server.
     *
     * @param limit the time that is left for it; it never takes longer than usual
     * @throws SignInFailedException also if the server is skipped, or if too many requests wait for it already
     */
    public <T> T call(Duration limit, Call<T> call) throws SignInFailedException {
        if (isSkipped()) {
            throw new SignInFailedException(
                    SignInProblem.UNAVAILABLE, "the server did not answer in time, and is not asked until it does");
        }
        if (!free.tryAcquire()) {
            throw new SignInFailedException(SignInProblem.UNAVAILABLE, "too many requests wait for the server");
        }
        try {
            T result = converse(limit, call);
            if (isUp.compareAndSet(false, true)) {
                LOG.info("{}: the identity server answers again", name);
            }
            return result;
        } catch (SignInFailedException e) {
            note(e);
            throw e;
        } finally {
            free.release();
        }
    }

    private <T> T converse(Duration limit, Call<T> call) throws SignInFailedException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Threads that clients start on the way must not belong to the web application.
        thread.setContextClassLoader(ServerState.class.getClassLoader());
        boolean isShort = limit.compareTo(MAX_DURATION) < 0;
        try (Conversation conversation = Conversation.begin(clock, isShort ? limit : MAX_DURATION)) {
            try {
                return call.run(conversation);
            } catch (SignInFailedException e) {
                // Another server may have used the time up.
                if (conversation.isLate() && !isShort) {
                    skip();
                }
                // A library reports a connection that was closed, not why.
                throw conversation
                        .problem()
                        .filter(why -> !String.valueOf(e.getMessage()).contains(why))
                        .map(why -> new SignInFailedException(SignInProblem.UNAVAILABLE, why, e))
                        .orElse(e);
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    public synchronized boolean isSkipped() {
        return isSkipped;
    }

    private synchronized void skip() {
        isSkipped = true;
        if (nextProbe == null && !isClosed) {
            nextProbe = clock.at(clock.nanoTime() + PROBE_PAUSE.toNanos(), this::startProbe);
        }
    }

    private void startProbe() {
        Thread thread = new Thread(this::probe, "sluice-center-sign-in-probe");
        thread.setDaemon(true);
        thread.setContextClassLoader(ServerState.class.getClassLoader());
        thread.start();
    }

    private void probe() {
        boolean isLate;
        try (Conversation conversation = Conversation.begin(clock, MAX_DURATION)) {
            try {
                var unused = probe.run(conversation);
            } catch (SignInFailedException | RuntimeException e) {
                LOG.debug("{}: a probe failed", name, e);
            }
            isLate = conversation.isLate();
        }
        synchronized (this) {
            nextProbe = null;
            if (isLate) {
                skip();
            } else {
                isSkipped = false;
            }
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

    @Override
    public synchronized void close() {
        isClosed = true;
        if (nextProbe != null) {
            nextProbe.cancel();
        }
    }
}
