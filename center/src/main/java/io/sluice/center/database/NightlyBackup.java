package io.sluice.center.database;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the database every night at three o'clock UTC, and at the next start if the center was not running then. If there are
 * several centers, the leader saves it.
 */
public final class NightlyBackup implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NightlyBackup.class);
    private static final LocalTime TIME = LocalTime.of(3, 0);
    private static final Duration LOOK_EVERY = Duration.ofMinutes(10);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Backups backups;
    private final BooleanSupplier leads;
    private final Clock clock;
    private volatile boolean closed;
    private final ExecutorService saving = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sluice-center-backup");
        thread.setDaemon(true);
        return thread;
    });

    public NightlyBackup(Backups backups, BooleanSupplier leads, Clock clock) {
        this.backups = backups;
        this.leads = leads;
        this.clock = clock;
    }

    public void start() {
        Clock.Alarm unused = clock.at(clock.nanoTime() + LOOK_EVERY.toNanos(), this::wake);
    }

    /** Waits for a running backup, because the database closes next. */
    @Override
    public void close() {
        closed = true;
        saving.shutdown();
        try {
            boolean unused = saving.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        try {
            saving.execute(this::look);
            start();
        } catch (RejectedExecutionException e) {
            // The backup was closed in the meantime.
        }
    }

    private void look() {
        try {
            if (!closed && leads.getAsBoolean() && isDue()) {
                LOG.info("saved the database to {}", backups.save("nightly"));
            }
        } catch (IOException | DatabaseUnusableException | RuntimeException e) {
            LOG.warn("the nightly backup failed, the next attempt follows in ten minutes: {}", e.getMessage());
        }
    }

    private boolean isDue() throws IOException {
        Instant now = Instant.ofEpochMilli(clock.epochMicros() / 1000);
        OffsetDateTime today = now.atOffset(ZoneOffset.UTC).with(TIME);
        Instant due = (today.toInstant().isAfter(now) ? today.minusDays(1) : today).toInstant();
        return backups.newest().map(newest -> newest.isBefore(due)).orElse(true);
    }
}
