package io.sluice.center.identity.server;

import io.sluice.center.log.LogText;
import io.sluice.center.remote.Conversation;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conversations with one identity server: their number, their time limit, and whether the server answers. A server that did
 * not answer in time is skipped until it answers a probe, so that only the first people wait for it. Thread-safe.
 */
public final class ServerState implements AutoCloseable {

    /** The time limit for all requests of a sign-in to one server. */
    public static final Duration MAX_DURATION = Duration.ofSeconds(10);

    /** The time between two probes of a server that does not answer. */
    public static final Duration PROBE_PAUSE = Duration.ofSeconds(5);

    /** The maximum number of parallel conversations, so that a hanging server does not block all threads of the center. */
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
     * @param name a name for logs, such as {@code oidc.corp}
     * @param probe a request to which the server has to answer; any answer counts
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
     * Runs a conversation with the server.
     *
     * @throws SignInFailedException if the conversation fails, if the server is skipped, or if too many requests are waiting for
     *     it already
     */
    public <T> T call(Call<T> call) throws SignInFailedException {
        return call(MAX_DURATION, call);
    }

    /**
     * Runs a conversation with the server.
     *
     * @param limit the remaining time; a conversation never takes longer than {@link #MAX_DURATION}
     * @throws SignInFailedException if the conversation fails, if the server is skipped, or if too many requests are waiting for
     *     it already
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
        // Threads that clients start during the conversation must not belong to the web application.
        thread.setContextClassLoader(ServerState.class.getClassLoader());
        boolean isShort = limit.compareTo(MAX_DURATION) < 0;
        try (Conversation conversation = Conversation.begin(clock, isShort ? limit : MAX_DURATION)) {
            try {
                return call.run(conversation);
            } catch (SignInFailedException e) {
                // With a shorter limit, another server may have used up the time.
                if (conversation.isLate() && !isShort) {
                    skip();
                }
                // A library reports that a connection was closed, but not why.
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

    /** Returns the message as one line. A part of it may come from the server. */
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
