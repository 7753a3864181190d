package io.sluice.spring.web.servlet;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs tasks once when the response to a request has ended: when the request's thread returns or, if the application continued
 * asynchronously, when asynchronous processing completes normally, by timeout or by error. Thread-safe.
 */
final class ServletHold implements AsyncListener {

    private final List<Runnable> tasks = new ArrayList<>(2);
    private boolean over;
    private volatile boolean failed;

    void whenOver(Runnable task) {
        synchronized (this) {
            if (!over) {
                tasks.add(task);
                return;
            }
        }
        task.run();
    }

    /** Returns whether asynchronous processing failed or took too long. */
    boolean hasFailed() {
        return failed;
    }

    /** Notes that the request's thread returns. */
    void returned(HttpServletRequest request) {
        synchronized (this) {
            if (tasks.isEmpty()) {
                return;
            }
        }
        if (request.isAsyncStarted()) {
            try {
                request.getAsyncContext().addListener(this);
                return;
            } catch (IllegalStateException completedMeanwhile) {
                // The container notifies no listener any more, so the request has ended.
            }
        }
        over();
    }

    void over() {
        List<Runnable> due;
        synchronized (this) {
            over = true;
            due = List.copyOf(tasks);
            tasks.clear();
        }
        due.forEach(Runnable::run);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        over();
    }

    /** {@link #onComplete} follows. Until then the application may still respond. */
    @Override
    public void onTimeout(AsyncEvent event) {
        failed = true;
    }

    /** {@link #onComplete} follows. */
    @Override
    public void onError(AsyncEvent event) {
        failed = true;
    }

    /** Registers again, because listeners are dropped when asynchronous processing starts again. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
