package io.sluice.center.duty;

import io.sluice.center.database.Database;
import io.sluice.center.log.LogText;
import io.sluice.center.log.Trouble;
import io.sluice.center.refusal.RefusedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the turns of one duty on its own thread. A duty that fails or hangs does not delay other duties, and its failures are
 * reported under its own name. Thread-safe.
 */
public final class DutyThread implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DutyThread.class);

    /**
     * The number of turns of the center that one turn of a duty may take, about a minute. Turns are counted because a clock may
     * jump.
     */
    public static final int MAX_BEATS = 240;

    /**
     * The number of turns without a failure after which a trouble has ended. Most duties act only in a few turns, so a single
     * turn proves little.
     */
    public static final int CALM_TURNS = 40;

    private static final Duration TURN = Duration.ofMillis(250);

    /**
     * The number of database failures after which a duty reports them itself. An unavailable database fails every duty and is
     * reported as one problem.
     */
    private static final int DATABASE_FAILURES = 4;

    private final String name;
    private final Duty duty;
    private final BooleanSupplier leads;
    private final BooleanSupplier isDatabaseAway;
    private final Trouble trouble;
    private final LinkedBlockingQueue<Boolean> wishes = new LinkedBlockingQueue<>(1);
    private final Thread thread;
    private final int calmTurns;
    private int databaseFailures;
    private int calm;
    private volatile int beats;
    private volatile boolean isBusy;
    private volatile boolean closed;

    /**
     * @param name a noun for logs, such as {@code alerts}
     * @param leads whether this center leads
     * @param isDatabaseAway whether the database is known to be unavailable
     * @param calmTurns the number of turns without a failure after which the trouble has ended
     */
    public DutyThread(
            String name,
            Duty duty,
            BooleanSupplier leads,
            BooleanSupplier isDatabaseAway,
            Trouble trouble,
            int calmTurns) {
        this.name = name;
        this.duty = duty;
        this.leads = leads;
        this.isDatabaseAway = isDatabaseAway;
        this.trouble = trouble;
        this.calmTurns = calmTurns;
        this.thread = new Thread(this::run, "sluice-center-" + name.replace(' ', '-'));
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Requests a turn soon. Returns immediately. */
    public void wake() {
        boolean unused = wishes.offer(true);
    }

    /** Counts a turn of the center. Called by one thread. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a turn that starts at the same time is counted one turn later
    public void beat() {
        beats = isBusy ? beats + 1 : 0;
    }

    /** Returns the reason why the duty is not done now. */
    public Optional<String> problem() {
        return trouble.now().map(why -> name + ": " + why).or(this::delay);
    }

    /** Returns a sentence if the current turn takes very long. */
    public Optional<String> delay() {
        return beats > MAX_BEATS ? Optional.of(name + ": has been busy for more than a minute") : Optional.empty();
    }

    private void run() {
        while (!closed) {
            isBusy = true;
            turn();
            isBusy = false;
            beats = 0;
            try {
                Boolean unused = wishes.poll(TURN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Takes a turn. At most one thread takes a turn at a time. */
    public synchronized void turn() {
        try {
            duty.turn(leads.getAsBoolean());
            databaseFailures = 0;
            if (++calm >= calmTurns) {
                trouble.end();
            }
        } catch (RefusedException e) {
            // A duty that is refused because something else was faster is not in trouble.
            LOG.info("nothing was done: {}", LogText.line(String.valueOf(e.getMessage())));
        } catch (RuntimeException | Error e) {
            boolean isOfDatabase = e instanceof RuntimeException failure && Database.isUnavailable(failure);
            if (isOfDatabase && (isDatabaseAway.getAsBoolean() || ++databaseFailures < DATABASE_FAILURES)) {
                return;
            }
            calm = 0;
            trouble.begin(e);
        }
    }

    /** Waits for the current turn to end. */
    @Override
    public void close() {
        closed = true;
        wake();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            thread.interrupt();
        }
    }
}
