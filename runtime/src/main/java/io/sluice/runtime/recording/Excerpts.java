package io.sluice.runtime.recording;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the questions of a center for recorded requests. A separate thread reads and sends, so neither decisions nor reports wait. The
 * thread ends when there is no work. Thread-safe.
 *
 * <p>A question is answered once. If the center did not accept the answer and repeats the question, it is answered again.
 */
public final class Excerpts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Excerpts.class);

    /** The maximum number of questions that are answered at the same time. */
    static final int MOST = 4;

    private static final long IDLE_SECONDS = 10;

    private final ExcerptLine line;
    private final ThreadPoolExecutor thread;
    private volatile @Nullable Scope scope;

    /** The questions that are answered or being answered, as long as the center asks them; guarded by this. */
    private final Set<Long> taken = new HashSet<>();

    /** The last answer that the center did not accept; used by the thread. */
    private @Nullable Kept kept;

    @SuppressWarnings("ArrayRecordComponent") // made once, sent as it is
    private record Kept(long question, byte[] excerpt) {}

    private record Scope(String node, ExcerptSource source) {}

    public Excerpts(ExcerptLine line) {
        this.line = line;
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST), task -> {
                    Thread made = new Thread(task, "sluice-excerpts");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Starts to answer.
     *
     * @param node the id of this process
     */
    public void over(String node, ExcerptSource source) {
        scope = new Scope(node, source);
    }

    /** Returns whether there is a recording. */
    public boolean isReady() {
        return scope != null;
    }

    /** Takes the current questions of the center. Does not wait for answers. */
    public void offered(List<ExcerptQuestion> questions) {
        Scope in = scope;
        if (in == null) {
            return;
        }
        List<ExcerptQuestion> fresh = new ArrayList<>();
        synchronized (this) {
            taken.retainAll(questions.stream().map(ExcerptQuestion::id).toList());
            for (ExcerptQuestion each : questions) {
                if (taken.size() < MOST && taken.add(each.id())) {
                    fresh.add(each);
                }
            }
        }
        for (ExcerptQuestion each : fresh) {
            try {
                thread.execute(() -> answer(each, in));
            } catch (RejectedExecutionException e) {
                forget(each);
            }
        }
    }

    private void answer(ExcerptQuestion question, Scope in) {
        Kept last = kept;
        kept = null;
        if (!isAsked(question)) {
            return;
        }
        try {
            Kept made = last != null && last.question == question.id()
                    ? last
                    : new Kept(question.id(), in.source.excerpt(question));
            kept = made;
            line.send(in.node, question.id(), made.excerpt);
            kept = null;
        } catch (IOException | RuntimeException e) {
            LOG.debug("an excerpt of the recording did not reach the center", e);
            forget(question);
        }
    }

    private synchronized boolean isAsked(ExcerptQuestion question) {
        return taken.contains(question.id());
    }

    private synchronized void forget(ExcerptQuestion question) {
        taken.remove(question.id());
    }

    @Override
    public void close() {
        var unused = thread.shutdownNow();
    }
}
