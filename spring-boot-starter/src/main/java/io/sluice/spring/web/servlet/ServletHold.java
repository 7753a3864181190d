package io.sluice.spring.web.servlet;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Does things when the answer to a request has ended, once: when its thread comes back, or where the application went on asynchronously,
 * when that has completed, whether by itself, by a timeout or by an error. Safe for use by many threads.
 */
final class ServletHold implements AsyncListener {

    private final List<Runnable> tasks = new ArrayList<>(2);
    private boolean over;

    void whenOver(Runnable task) {
        synchronized (this) {
            if (!over) {
                tasks.add(task);
                return;
            }
        }
        task.run();
    }

    /** The request's thread comes back. */
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
                // Nobody will tell us, so it is over.
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

    /** {@link #onComplete} follows; until then the application may still answer. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** {@link #onComplete} follows. */
    @Override
    public void onError(AsyncEvent event) {}

    /** Whoever starts again is forgotten by all listeners but those that say they are still there. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
