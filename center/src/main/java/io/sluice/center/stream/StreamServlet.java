package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.Problem;
import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint {@code GET /api/stream}. Connections stay open and use no thread. */
public final class StreamServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(StreamServlet.class);
    private static final int AT_ONCE = 32 * 1024;
    /** The name of the event that keeps a connection alive. Browsers do not pass comments to scripts. */
    private static final String ALIVE = "alive";

    private static final int LONGEST_RULE = 200;

    private final transient Stream stream;

    /** Runs checks that read the database, because the thread that publishes events must not wait for it. */
    private final transient ExecutorService checks = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sluice-center-listeners");
        thread.setDaemon(true);
        return thread;
    });

    public StreamServlet(Stream stream) {
        this.stream = stream;
    }

    @Override
    public void destroy() {
        checks.shutdownNow();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Set<StreamTopic> topics;
        String rule = text(request, "rule");
        try {
            topics = StreamTopic.list(text(request, "topics"));
            if (rule.length() > LONGEST_RULE) {
                throw RefusedException.invalid("rule: too long (expected: the id of a rule)");
            }
        } catch (RefusedException e) {
            Problem.write(response, HttpServletResponse.SC_BAD_REQUEST, "Bad Request", String.valueOf(e.getMessage()));
            return;
        }
        Access access = Objects.requireNonNull((Access) request.getAttribute(CurrentAccess.ACCESS));
        Connection connection = new Connection(access, topics, rule, again(request));
        if (!stream.add(connection)) {
            response.setHeader("Retry-After", "10");
            Problem.write(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    "Service Unavailable",
                    "too many listeners (expected: at most " + Stream.MOST_LISTENERS + ", and " + Stream.MOST_OF_ONE
                            + " of one account or token)");
            return;
        }
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            AsyncContext context = request.startAsync();
            context.setTimeout(0);
            context.addListener(connection);
            connection.begin(context, response.getOutputStream());
        } catch (IOException | RuntimeException e) {
            stream.remove(connection);
            throw e;
        }
    }

    private static String text(HttpServletRequest request, String name) {
        String text = request.getParameter(name);
        return text == null ? "" : text;
    }

    @SuppressWarnings("unchecked") // only the security of requests sets it
    private static Supplier<Optional<Access>> again(HttpServletRequest request) {
        return Objects.requireNonNull((Supplier<Optional<Access>>) request.getAttribute(CurrentAccess.AGAIN));
    }

    /** One listener. The lock is held while bytes are passed to the server, which never waits for the network. */
    private final class Connection implements Stream.Listener, WriteListener, AsyncListener {

        private final Set<StreamTopic> topics;
        private final String rule;
        private final Supplier<Optional<Access>> credential;
        private final AtomicBoolean isCheckDue = new AtomicBoolean();
        private final RefusalQuota quota = new RefusalQuota();
        private volatile Access access;

        // Guarded by this.
        private final EventQueue queue = new EventQueue();
        private @Nullable AsyncContext context;
        private @Nullable ServletOutputStream out;
        private byte @Nullable [] sending;
        private int sent;
        private boolean isFlushDue;
        private boolean ended;

        Connection(Access access, Set<StreamTopic> topics, String rule, Supplier<Optional<Access>> credential) {
            this.access = access;
            this.topics = topics;
            this.rule = rule;
            this.credential = credential;
        }

        synchronized void begin(AsyncContext started, ServletOutputStream to) {
            context = started;
            out = to;
            if (ended) {
                started.complete();
                return;
            }
            boolean unused = queue.comment("listening");
            to.setWriteListener(this);
        }

        @Override
        public Access access() {
            return access;
        }

        @Override
        public boolean hears(StreamTopic topic) {
            return topics.contains(topic);
        }

        @Override
        public void tell(StreamEvent event) {
            if (event instanceof RefusalEvent refusal && !quota.isFree(refusal.second())) {
                return;
            }
            Optional<String> json = event.json(access, rule);
            if (json.isEmpty()) {
                return;
            }
            if (event instanceof RefusalEvent refusal) {
                quota.take(refusal.second());
            }
            synchronized (this) {
                if (queue.add(event.topic().word(), json.get())) {
                    pump();
                } else if (!ended) {
                    LOG.info(
                            "the stream of {} ends, because it is read too slowly",
                            access.actor().name());
                    end();
                }
            }
        }

        @Override
        public synchronized void comfort() {
            boolean unused = queue.add(ALIVE, "{}");
            pump();
        }

        @Override
        public void check() {
            if (isCheckDue.compareAndSet(false, true)) {
                try {
                    checks.execute(this::look);
                } catch (RejectedExecutionException e) {
                    // The center stops.
                }
            }
        }

        /** Ends the stream if its credential was revoked. While the database is unavailable, the stream continues. */
        private void look() {
            isCheckDue.set(false);
            try {
                Optional<Access> now = credential.get().filter(found -> found.may(Right.READ));
                if (now.isPresent()) {
                    access = now.get();
                } else {
                    LOG.info(
                            "the stream of {} ends, because its credential is no longer valid",
                            access.actor().name());
                    end();
                }
            } catch (RuntimeException e) {
                LOG.debug("the credential of a stream cannot be looked up", e);
            }
        }

        @Override
        public synchronized void onWritePossible() {
            pump();
        }

        private void pump() {
            ServletOutputStream to = out;
            try {
                while (to != null && !ended && to.isReady()) {
                    if (sending == null) {
                        sending = queue.next();
                    }
                    if (sending != null) {
                        send(to, sending);
                    } else if (isFlushDue) {
                        isFlushDue = false;
                        to.flush();
                    } else {
                        return;
                    }
                }
            } catch (IOException | IllegalStateException e) {
                end();
            }
        }

        private void send(ServletOutputStream to, byte[] event) throws IOException {
            int length = Math.min(AT_ONCE, event.length - sent);
            to.write(event, sent, length);
            sent += length;
            isFlushDue = true;
            if (sent == event.length) {
                sending = null;
                sent = 0;
            }
        }

        @Override
        public synchronized void end() {
            if (!ended) {
                ended = true;
                stream.remove(this);
                try {
                    if (context != null) {
                        context.complete();
                    }
                } catch (IllegalStateException e) {
                    // The response is already complete.
                }
            }
        }

        @Override
        public synchronized void onError(Throwable failure) {
            end();
        }

        @Override
        public synchronized void onComplete(AsyncEvent event) {
            ended = true;
            stream.remove(this);
        }

        @Override
        public synchronized void onTimeout(AsyncEvent event) {
            end();
        }

        @Override
        public synchronized void onError(AsyncEvent event) {
            end();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // The request is not dispatched again.
        }
    }
}
