package io.sluice.rules.watch;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Polls files and passes on new content. Thread-safe.
 *
 * <p>Content matters, not time stamps. Content is accepted when two polls in a row see the same content, so that a half-written file is
 * never used. Content that cannot be read or used has no effect: the last good content stays in force, and the reasons are reported once.
 *
 * <p>The files are read at each poll. File system notifications are not used, so this works on every file system and through
 * every link.
 *
 * @param <T> the content, with an {@code equals} that compares all of it
 */
public final class FileWatch<T> implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(FileWatch.class.getName());

    private final String name;
    private final Looks looks;
    private final Reading<T> reading;
    private final Follower<T> follower;
    private volatile List<String> refused = List.of();
    private boolean closed;
    private Clock.@Nullable Alarm next;

    /** Used only by the polling thread. */
    private T read;

    private T good;
    private Sight<T> judged;
    private Sight<T> seen;

    /** Reads files. */
    @FunctionalInterface
    public interface Reading<T> {

        /**
         * Returns the current content of the files.
         *
         * @param last the content at the last successful read; may be returned if nothing has changed
         */
        T read(T last) throws ContentRefusedException;
    }

    /** Uses the content of files. Called only by the polling thread. */
    public interface Follower<T> {

        /** Puts new content in force. Throws, without any change, if the content cannot be used. */
        void take(T content) throws ContentRefusedException;

        /** Called with the reasons why the last good content stays in force: once, and again only if the reasons change. */
        default void refuse(List<String> reasons) {}

        /** Called when the files again have the content that is in force. */
        default void settle() {}

        /** Returns whether to check bad content again at every poll, because the cause may be outside of the content. */
        default boolean judgesAgain() {
            return false;
        }
    }

    /** The result of one poll: content, or the reasons why there is none. */
    private record Sight<T>(@Nullable T content, List<String> reasons) {}

    private FileWatch(String name, T begun, Reading<T> reading, Follower<T> follower, Looks looks) {
        this.name = name;
        this.looks = looks;
        this.reading = reading;
        this.follower = follower;
        this.read = begun;
        this.good = begun;
        this.judged = new Sight<>(begun, List.of());
        this.seen = judged;
    }

    /**
     * Starts polling.
     *
     * @param name the name of the files, for the log
     * @param begun the content that is already in force
     */
    public static <T> FileWatch<T> begin(String name, T begun, Reading<T> reading, Follower<T> follower, Looks looks) {
        FileWatch<T> watch = new FileWatch<>(name, begun, reading, follower, looks);
        watch.lookLater();
        return watch;
    }

    /** Returns the reasons why the current content of the files is not in force; empty if it is in force. */
    public List<String> refused() {
        return refused;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
        looks.stop().run();
    }

    /**
     * Schedules the next poll. The alarm only wakes the polling thread: alarms also serve deadlines and must not wait for a disk.
     */
    private synchronized void lookLater() {
        if (!closed) {
            Clock clock = looks.clock();
            next = clock.at(clock.nanoTime() + looks.every().toNanos(), () -> looks.thread()
                    .execute(this::look));
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void look() {
        if (isClosed()) {
            return;
        }
        try {
            Sight<T> now = sight();
            boolean settled = now.equals(seen);
            boolean isNew = !now.equals(judged);
            see(isNew ? now : judged);
            if (settled && (isNew || (!refused.isEmpty() && follower.judgesAgain()))) {
                judged = seen;
                judge(seen);
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not check " + name + " for changes; its last content stays in force until the next check",
                    e);
        } finally {
            lookLater();
        }
    }

    /** Stores the result of a poll. Equal content is kept in memory only once, even if it was read often. */
    private void see(Sight<T> now) {
        seen = now;
        if (now.content != null) {
            read = now.content;
        }
    }

    private Sight<T> sight() {
        try {
            return new Sight<>(reading.read(read), List.of());
        } catch (ContentRefusedException e) {
            return new Sight<>(null, e.reasons());
        }
    }

    private void judge(Sight<T> now) {
        T content = now.content;
        if (content == null) {
            refuse(now.reasons);
        } else if (content.equals(good)) {
            settle();
        } else {
            take(content);
        }
    }

    private void take(T content) {
        try {
            follower.take(content);
            good = content;
            refused = List.of();
        } catch (ContentRefusedException e) {
            refuse(e.reasons());
        }
    }

    private void settle() {
        if (!refused.isEmpty()) {
            refused = List.of();
            follower.settle();
        }
    }

    private void refuse(List<String> reasons) {
        if (!reasons.equals(refused)) {
            refused = reasons;
            follower.refuse(reasons);
        }
    }
}
