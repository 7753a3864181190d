package io.sluice.rules.watch;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at files again and again, and hands on what is new in them. Safe for use by many threads.
 *
 * <p>Content counts, not time stamps. Content is taken when two looks in a row see the same: a file that is being written is never taken
 * half. Content that cannot be read or used changes nothing: the last good content stays in force, and the reasons are told once.
 *
 * <p>The files are read, and not watched by the system: this works on every file system and through every link.
 *
 * @param <T> content, with an {@code equals} that compares all of it
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

    /** Touched only by the looking thread. */
    private T read;

    private T good;
    private Sight<T> judged;
    private Sight<T> seen;

    /** Reads files. */
    @FunctionalInterface
    public interface Reading<T> {

        /**
         * What the files hold now.
         *
         * @param last what they held when they could be read last; may be returned if nothing has changed
         */
        T read(T last) throws ContentRefusedException;
    }

    /** Uses what files hold. Called by the looking thread alone. */
    public interface Follower<T> {

        /** Puts new content in force. Throws, and all is as before, if the content is bad. */
        void take(T content) throws ContentRefusedException;

        /** Hears once why the last good content stays in force, and again only for other reasons. */
        default void refuse(List<String> reasons) {}

        /** Hears that the files hold again what is in force. */
        default void settle() {}

        /** Whether bad content is judged at every look: it may be bad for a reason that is not in it. */
        default boolean judgesAgain() {
            return false;
        }
    }

    /** What one look saw: content, or the reasons why there is none. */
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
     * Begins to look.
     *
     * @param name of the files, for the log
     * @param begun content that is in force already
     */
    public static <T> FileWatch<T> begin(String name, T begun, Reading<T> reading, Follower<T> follower, Looks looks) {
        FileWatch<T> watch = new FileWatch<>(name, begun, reading, follower, looks);
        watch.lookLater();
        return watch;
    }

    /** Why what the files hold now is not in force; empty if it is. */
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

    /** The alarm only wakes the looking thread: alarms are shared with deadlines and must not wait for a disk. */
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
            LOG.log(Level.WARNING, "looking at " + name + " failed; will look again", e);
        } finally {
            lookLater();
        }
    }

    /** The same content is kept once, however often it was read. */
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
