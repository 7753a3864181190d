package io.sluice.center.nodes;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.fleet.RuleCursor;
import io.sluice.center.fleet.RuleEvent;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.fleet.RuleNews;
import io.sluice.center.http.CurrentAccess;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream {@code GET /api/nodes/rules}. Connections stay open and use no thread: a slow node receives at its own speed and
 * gets the newest rules next.
 */
public final class RuleFeedServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final int AT_ONCE = 32 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(RuleFeedServlet.class);

    private final transient RuleFeed feed;

    /** Reads the database. The thread that sends keep-alive events must not wait for it. */
    private final transient ExecutorService checks = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sluice-center-streams");
        thread.setDaemon(true);
        return thread;
    });

    public RuleFeedServlet(RuleFeed feed) {
        this.feed = feed;
    }

    @Override
    public void destroy() {
        checks.shutdownNow();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/event-stream;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        String last = request.getHeader("Last-Event-ID");
        String node = request.getParameter("node");
        RuleCursor cursor = new RuleCursor(node == null ? "" : node, last == null ? "" : last);
        Connection connection = new Connection(context, response.getOutputStream(), cursor, again(request));
        context.addListener(connection);
        connection.begin();
    }

    @SuppressWarnings("unchecked") // set only by the security of requests
    private static Supplier<Optional<Access>> again(HttpServletRequest request) {
        return Objects.requireNonNull((Supplier<Optional<Access>>) request.getAttribute(CurrentAccess.AGAIN));
    }

    /** The connection of one node. The lock is held while bytes are passed to the server, which never waits for the network. */
    private final class Connection implements RuleFeed.Listener, WriteListener, AsyncListener {

        private final AsyncContext context;
        private final ServletOutputStream out;
        private final RuleCursor cursor;
        private final Supplier<Optional<Access>> credential;
        private final AtomicBoolean isCheckDue = new AtomicBoolean();
        private @Nullable RuleEvent sending;
        private int sent;
        private @Nullable RuleNews news;
        private boolean comfort;
        private boolean isFlushDue;
        private boolean ended;

        Connection(
                AsyncContext context,
                ServletOutputStream out,
                RuleCursor cursor,
                Supplier<Optional<Access>> credential) {
            this.context = context;
            this.out = out;
            this.cursor = cursor;
            this.credential = credential;
        }

        void begin() {
            out.setWriteListener(this);
            feed.add(this);
        }

        @Override
        public synchronized void news(RuleNews newest) {
            news = newest;
            comfort = true;
            pump();
        }

        @Override
        public void comfort() {
            synchronized (this) {
                comfort = true;
                pump();
            }
            if (isCheckDue.compareAndSet(false, true)) {
                try {
                    checks.execute(this::check);
                } catch (RejectedExecutionException e) {
                    // The center is stopping.
                }
            }
        }

        /** Ends the stream if its credential was revoked. While the database is unavailable, nodes keep their streams. */
        private void check() {
            isCheckDue.set(false);
            try {
                if (credential
                        .get()
                        .filter(access -> access.mayEverywhere(Right.REPORT))
                        .isEmpty()) {
                    LOG.info("the stream of a node ends, because its credential is no longer valid");
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
            try {
                while (!ended && out.isReady()) {
                    if (sending == null) {
                        sending = next();
                    }
                    if (sending != null) {
                        send(sending);
                    } else if (isFlushDue) {
                        isFlushDue = false;
                        out.flush();
                    } else {
                        return;
                    }
                }
            } catch (IOException | IllegalStateException e) {
                end();
            }
        }

        private @Nullable RuleEvent next() {
            RuleEvent event = news == null ? null : cursor.next(news).orElse(null);
            if (event == null) {
                news = null;
                event = comfort ? RuleEvent.COMFORT : null;
            }
            comfort = false;
            return event;
        }

        private void send(RuleEvent event) throws IOException {
            int length = Math.min(AT_ONCE, event.length() - sent);
            event.write(out, sent, length);
            sent += length;
            isFlushDue = true;
            if (sent == event.length()) {
                sending = null;
                sent = 0;
            }
        }

        @Override
        public synchronized void end() {
            if (!ended) {
                ended = true;
                feed.remove(this);
                try {
                    context.complete();
                } catch (IllegalStateException e) {
                    // Already complete.
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
            feed.remove(this);
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
            // The request is not started again.
        }
    }
}
