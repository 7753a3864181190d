package io.sluice.testkit;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A manual clock that moves only while every other thread that reads it is idle. A thread that measures a duration reads the clock twice.
 * If a test moves the clock by an hour in between, the thread measures an hour, and reports that a disk hangs or a store is slow.
 * Thread-safe.
 *
 * <p>A thread is idle if it waits for work: in the queue of its executor, for a channel that becomes ready, or in a loop of its own. It is
 * not idle while it runs, reads a file or a socket, waits for a lock, or waits for a result inside a task, unless an alarm that it has set
 * is pending, because it may then wait for this clock. The thread that moves the clock does not count, nor does the thread that created it,
 * which is the thread of the test.
 *
 * <p>Work that was handed to an idle thread and has not started runs after the move.
 */
public final class QuietClock extends ManualClock {

    /** The maximum wait, which only ends tests that hang. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(3);

    private static final int MAX_DEPTH = 200;

    /** The methods in which a thread is idle in every state. */
    private static final Map<String, Set<String>> WORK_AWAITED = Map.of(
            "java.util.concurrent.ThreadPoolExecutor", Set.of("getTask"),
            "org.apache.tomcat.util.threads.ThreadPoolExecutor", Set.of("getTask"),
            "java.util.concurrent.ForkJoinPool", Set.of("awaitWork"),
            "sun.nio.ch.SelectorImpl", Set.of("select", "selectNow"),
            "io.netty.channel.epoll.Native", Set.of("epollWait"));

    /** The methods that run a task, or in which a thread waits for a result. A thread that waits in such a method is not idle. */
    private static final Map<String, Set<String>> TASK = Map.of(
            "java.util.concurrent.ThreadPoolExecutor", Set.of("runWorker"),
            "org.apache.tomcat.util.threads.ThreadPoolExecutor", Set.of("runWorker"),
            "java.util.concurrent.ForkJoinTask", Set.of("doExec"),
            "java.util.concurrent.CompletableFuture", Set.of("get", "join"),
            "java.util.concurrent.FutureTask", Set.of("get"),
            "java.util.concurrent.CountDownLatch", Set.of("await"),
            "java.lang.Thread", Set.of("join"),
            "java.lang.Process", Set.of("waitFor"));

    private final long creator = Thread.currentThread().getId();

    /** The ids of the threads that have read this clock. Guarded by this, like the next three. */
    private final Set<Long> readers = new HashSet<>();

    /** The number of pending alarms that each thread has set. */
    private final Map<Long, Integer> alarms = new HashMap<>();

    private final Map<Long, Long> waitingSince = new HashMap<>();
    private int forced;

    private QuietClock(long epochMicros) {
        super(epochMicros);
    }

    /** Creates a clock that starts at the given microsecond since the epoch. */
    public static QuietClock at(long epochMicros) {
        return new QuietClock(epochMicros);
    }

    @Override
    public synchronized long nanoTime() {
        readers.add(Thread.currentThread().getId());
        return super.nanoTime();
    }

    @Override
    public synchronized long epochMicros() {
        readers.add(Thread.currentThread().getId());
        return super.epochMicros();
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        long setter = Thread.currentThread().getId();
        AtomicBoolean pending = new AtomicBoolean(true);
        count(setter, 1);
        Alarm alarm = super.at(atNanos, () -> {
            if (pending.compareAndSet(true, false)) {
                count(setter, -1);
                task.run();
            }
        });
        return () -> {
            if (pending.compareAndSet(true, false)) {
                count(setter, -1);
                alarm.cancel();
            }
        };
    }

    private synchronized void count(long setter, int by) {
        alarms.merge(setter, by, (before, more) -> before + more == 0 ? null : before + more);
    }

    /**
     * Moves both clocks forward even if another thread is between two readings. That thread measures the span, so use this to simulate a
     * hang: of a disk, a store, or a person.
     */
    public void advanceMeanwhile(Duration span) {
        force(1);
        try {
            advance(span);
        } finally {
            force(-1);
        }
    }

    private synchronized void force(int by) {
        forced += by;
    }

    @Override
    protected boolean mayMove() {
        Optional<ThreadInfo> busy = forced > 0 ? Optional.empty() : busy();
        long self = Thread.currentThread().getId();
        if (busy.isEmpty()) {
            waitingSince.remove(self);
            return true;
        }
        long now = Clock.system().nanoTime();
        if (now - waitingSince.computeIfAbsent(self, first -> now) > MAX_WAIT_NANOS) {
            throw new IllegalStateException(
                    "the clock cannot move, because a thread that reads it is not idle: " + busy.get());
        }
        return false;
    }

    /** Returns a reader that is not idle. Forgets readers that have ended. */
    private Optional<ThreadInfo> busy() {
        long[] ids = readers.stream()
                .mapToLong(id -> id)
                .filter(id -> id != creator && id != Thread.currentThread().getId())
                .toArray();
        if (ids.length == 0) {
            return Optional.empty();
        }
        Optional<ThreadInfo> busy = Optional.empty();
        ThreadInfo[] infos = ManagementFactory.getThreadMXBean().getThreadInfo(ids, MAX_DEPTH);
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] == null) {
                readers.remove(ids[i]);
            } else if (!isIdle(infos[i])) {
                busy = Optional.of(infos[i]);
            }
        }
        return busy;
    }

    private boolean isIdle(ThreadInfo thread) {
        boolean inTask = false;
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (isIn(WORK_AWAITED, frame)) {
                return true;
            }
            inTask |= isIn(TASK, frame);
        }
        return switch (thread.getThreadState()) {
            case WAITING, TIMED_WAITING -> !inTask || alarms.containsKey(thread.getThreadId());
            case TERMINATED -> true;
            default -> false;
        };
    }

    private static boolean isIn(Map<String, Set<String>> methods, StackTraceElement frame) {
        return methods.getOrDefault(frame.getClassName(), Set.of()).contains(frame.getMethodName());
    }
}
