package io.sluice.center.sink;

import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.database.Database;
import io.sluice.center.export.LogPage;
import io.sluice.center.sink.SinkMessage.Dropped;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Sends the log to one sink, on its own thread. It reads the rows from the database again, so that no writer waits for the sink
 * and a sink that is down costs no memory. Each row arrives at least once and in order, as far as the sink can confirm it; after a
 * failure rows may arrive twice.
 *
 * <p>A sink that is too far behind, or for too long, loses rows. The loss is reported as a problem in the status of the center, as a line
 * in the log of the process, and as a message in the sink itself.
 */
final class SinkFollower implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SinkFollower.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration SENDING_MAY_TAKE = Duration.ofMinutes(1);
    private static final long CLOSING_MILLIS = TimeUnit.SECONDS.toMillis(3);

    private final String name;
    private final Sink sink;
    private final Database database;
    private final Clock clock;
    private final PositionFile file;
    private final long mostBehind;
    private final LinkedBlockingQueue<Boolean> wishes = new LinkedBlockingQueue<>(1);
    private final Thread thread;
    private volatile SinkPosition position;
    private volatile boolean leads;
    private volatile boolean closed;
    private volatile long head;
    private volatile @Nullable Long sendingNanos;
    private volatile @Nullable Long givenUpNanos;
    private volatile @Nullable String failure;
    private volatile @Nullable Dropped lost;

    /** The following fields are used only by the thread. */
    private Duration pause = Duration.ZERO;

    private long notBeforeNanos;

    /**
     * Creates a follower.
     *
     * @param mostBehind the maximum number of rows that may wait
     */
    SinkFollower(String name, Sink sink, Database database, Clock clock, PositionFile file, long mostBehind)
            throws IOException {
        this.name = name;
        this.sink = sink;
        this.database = database;
        this.clock = clock;
        this.file = file;
        this.mostBehind = mostBehind;
        this.position = file.read();
        this.thread = new Thread(this::run, "sluice-center-audit-sink");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Wakes the thread to look for new rows. Returns immediately. */
    void turn(boolean isLeader) {
        leads = isLeader;
        Long since = sendingNanos;
        Long last = givenUpNanos;
        long now = clock.nanoTime();
        // Disconnects once more after another minute, because the sink may have been connecting the last time.
        if (since != null
                && now - since > SENDING_MAY_TAKE.toNanos()
                && (last == null || now - last > SENDING_MAY_TAKE.toNanos())) {
            givenUpNanos = now;
            // Closing a connection may also take time.
            Thread closing = new Thread(sink::disconnect, "sluice-center-audit-sink-closing");
            closing.setDaemon(true);
            closing.start();
        }
        boolean unused = wishes.offer(true);
    }

    SinkReply state() {
        SinkPosition now = position;
        return new SinkReply(name, now.sent(), Math.max(0, head - now.sent()), now.dropped(), failure);
    }

    boolean isSending() {
        return sendingNanos != null;
    }

    /** Returns the problems of the sink, as sentences. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        String why = failure;
        SinkPosition now = position;
        if (why != null) {
            problems.add("audit sink " + name + " is unavailable: " + why + "; rows after " + now.sent() + " wait");
        }
        Optional.ofNullable(lost)
                .or(now::untold)
                .ifPresent(rows -> problems.add("audit sink " + name + " lost " + rows + " (" + now.dropped()
                        + " since it was set up); look for them in the audit log or its exports"));
        return problems;
    }

    @Override
    public void close() {
        closed = true;
        boolean unused = wishes.offer(true);
        try {
            thread.join(CLOSING_MILLIS);
            sink.disconnect();
            thread.interrupt();
            thread.join(CLOSING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            try {
                Boolean unused = wishes.take();
                if (clock.nanoTime() - notBeforeNanos >= 0 || pause.isZero()) {
                    work();
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                LOG.error("audit sink {}: a turn failed; the next one follows", name, e);
                fail("an unexpected error, see the log of the center");
            }
        }
        sink.disconnect();
    }

    private void work() {
        try {
            boolean more = true;
            while (more && leads && !closed) {
                more = step();
                succeed();
            }
        } catch (IOException e) {
            sink.disconnect();
            if (!closed) {
                fail(String.valueOf(e.getMessage()).replaceAll("[\\s\\p{Cntrl}]+", " "));
            }
        } catch (RuntimeException e) {
            if (!Database.isUnavailable(e)) {
                throw e;
            }
            // The status of the center reports that the database is unavailable.
            pause(SHORTEST_PAUSE);
        }
    }

    private void succeed() {
        pause = Duration.ZERO;
        if (failure != null) {
            failure = null;
            LOG.info("audit sink {} is available again", name);
        }
    }

    private void fail(String why) {
        if (failure == null) {
            LOG.warn("audit sink {} is unavailable; rows after {} wait: {}", name, position.sent(), why);
        }
        failure = why;
        Duration doubled = pause.multipliedBy(2);
        pause(doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled);
    }

    private void pause(Duration next) {
        pause = next.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : next;
        notBeforeNanos = clock.nanoTime() + pause.toNanos();
    }

    /** The part of the log in the database that a sink lacks. */
    private record News(String log, long head, LogPage page) {

        static News of(JdbcClient client, SinkPosition position, long mostBehind) {
            long head = AuditTree.head(client).number();
            String log = client.sql("SELECT log FROM audit_head WHERE name = 'command'")
                    .query(String.class)
                    .single();
            boolean isReadable = position.sent() <= head && head - position.sent() <= mostBehind;
            return new News(
                    log,
                    head,
                    isReadable
                            ? LogPage.from(client, position.sent() + 1)
                            : new LogPage(List.of(), List.of(), Optional.empty()));
        }
    }

    /** Sends some rows. Returns whether there may be more. */
    private boolean step() throws IOException {
        SinkPosition now = position;
        News news = database.read(client -> News.of(client, now, mostBehind));
        head = news.head();
        if (!now.log().isEmpty() && !news.log().isEmpty() && !now.log().equals(news.log())) {
            LOG.warn("audit sink {}: the center has another audit log now; the sink gets all its rows", name);
            save(now.at(news.log(), 0));
            return true;
        }
        if (now.sent() > news.head()) {
            LOG.warn(
                    "audit sink {}: the audit log has {} rows and the sink got {}; was a backup restored? The sink goes"
                            + " on with row {}",
                    name,
                    news.head(),
                    now.sent(),
                    news.head() + 1);
            save(now.at(news.log(), news.head()));
            return true;
        }
        if (news.head() - now.sent() > mostBehind) {
            drop(news.log(), new Dropped(now.sent() + 1, news.head() - mostBehind), "too many rows wait");
            return true;
        }
        LogPage page = news.page();
        if (!page.leaves().isEmpty()) {
            long last = now.sent() + page.leaves().size();
            drop(news.log(), new Dropped(now.sent() + 1, last), "they were deleted because of their age");
            return true;
        }
        if (page.rows().isEmpty() && now.untold().isEmpty()) {
            return false;
        }
        send(news, page.rows());
        return true;
    }

    private void send(News news, List<LoggedRow> rows) throws IOException {
        long next = position.sent() + 1;
        if (!rows.isEmpty() && rows.get(0).row().number() > next) {
            drop(news.log(), new Dropped(next, rows.get(0).row().number() - 1), "the audit log does not have them");
        }
        List<SinkMessage> messages = new ArrayList<>();
        position.untold()
                .ifPresent(
                        dropped -> messages.add(SinkMessage.dropped(news.log(), clock.epochMicros() / 1000, dropped)));
        rows.forEach(row -> messages.add(SinkMessage.of(row, news.log())));
        sendingNanos = clock.nanoTime();
        try {
            sink.send(messages);
        } finally {
            sendingNanos = null;
        }
        save(position.sent(
                news.log(),
                rows.isEmpty()
                        ? position.sent()
                        : rows.get(rows.size() - 1).row().number()));
    }

    private void drop(String log, Dropped rows, String why) throws IOException {
        LOG.warn("audit sink {} loses {}: {}", name, rows, why);
        Dropped before = lost;
        boolean follows = before != null && before.last() + 1 == rows.first();
        lost = before != null && follows ? new Dropped(before.first(), rows.last()) : rows;
        save(position.dropped(log, rows));
    }

    private void save(SinkPosition next) throws IOException {
        file.write(next);
        position = next;
    }
}
