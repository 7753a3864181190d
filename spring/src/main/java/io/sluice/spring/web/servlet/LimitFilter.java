package io.sluice.spring.web.servlet;

import io.sluice.core.time.Clock;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.web.AnswerCount;
import io.sluice.spring.web.AnswerSettlement;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.Forms;
import io.sluice.spring.web.WebAnswer;
import io.sluice.spring.web.WebLimits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rules in force once to every request from outside. Forwards, includes, and dispatches for errors or asynchronous results
 * belong to a request that was already decided. Thread-safe.
 *
 * <p>The filter blocks the request's thread while it waits for the beginning of a body whose fields a rule reads, for the store,
 * or for the time slot of a rule that shapes ({@code max_wait}). It does not dispatch the request again later: filters that are
 * registered for requests only, perhaps security checks, would then be skipped. The number of requests that wait for a time slot
 * is bounded, so they cannot occupy all threads.
 */
public final class LimitFilter implements Filter {

    private static final String SEEN = LimitFilter.class.getName();
    private static final String SEEN_EARLY = SEEN + ".early";
    private static final long PATIENCE_SECONDS = 30;

    private final WebLimits limits;
    private final String seen;
    private final Clock clock;
    private final BodyMemory memory;
    private final Semaphore waiting;

    /**
     * Creates a filter.
     *
     * @param mostWaiting the maximum number of requests that wait for their time slot at the same time
     */
    public LimitFilter(WebLimits limits, Clock clock, BodyMemory memory, int mostWaiting) {
        this.limits = limits;
        this.seen = limits.isEarly() ? SEEN_EARLY : SEEN;
        this.clock = clock;
        this.memory = memory;
        this.waiting = new Semaphore(mostWaiting);
    }

    @Override
    public void doFilter(ServletRequest given, ServletResponse answer, FilterChain chain)
            throws IOException, ServletException {
        if (!(given instanceof HttpServletRequest request)
                || !(answer instanceof HttpServletResponse response)
                || request.getDispatcherType() != DispatcherType.REQUEST
                || request.getAttribute(seen) != null) {
            chain.doFilter(given, answer);
            return;
        }
        request.setAttribute(seen, true);
        WebLimits.Entry entry = limits.enter(new ServletIncoming(request), request.getAttribute(SEEN_EARLY) != null);
        if (entry instanceof WebLimits.Asked asked) {
            limit(asked, request, response, chain);
        } else if (entry instanceof WebLimits.Answered answered) {
            ServletAnswer.send(answered.answer(), response);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void limit(
            WebLimits.Asked asked, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        ServletHold hold = new ServletHold();
        PermitScope permits = limits.newPermits();
        hold.whenOver(permits::close);
        try {
            BodyHead head = BodyHead.read(asked, request, clock, memory, hold);
            WebLimits.Outcome outcome = decided(asked, head, permits);
            if (outcome instanceof WebLimits.Passed passed) {
                pass(passed, replayed(asked, request, head), response, chain, hold);
            } else if (outcome instanceof WebLimits.Refused refused) {
                ServletAnswer.send(refused.answer(), response);
            }
        } catch (RefusedRequestException e) {
            ServletAnswer.send(WebAnswer.of(e), response);
        } finally {
            hold.returned(request);
        }
    }

    private void pass(
            WebLimits.Passed passed,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            ServletHold hold)
            throws IOException, ServletException, RefusedRequestException {
        if (!passed.waitFor().isZero()) {
            try {
                await(passed.waitFor());
            } catch (RefusedRequestException e) {
                limits.giveBack(passed);
                throw e;
            }
        }
        passed.headers().forEach(response::setHeader);
        AnswerSettlement settlement = passed.settlement();
        if (settlement == null) {
            serve(passed, request, response, chain, hold);
        } else {
            settle(passed, request, new WatchedResponse(response, settlement), chain, hold);
        }
    }

    private void serve(
            WebLimits.Passed passed,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            ServletHold hold)
            throws IOException, ServletException {
        AnswerCount answers = passed.answers();
        if (answers == null) {
            chain.doFilter(request, response);
        } else {
            count(answers, request, response, chain, hold);
        }
    }

    /** Settles the reservations by the response when the application has written it. */
    private void settle(
            WebLimits.Passed passed,
            HttpServletRequest request,
            WatchedResponse response,
            FilterChain chain,
            ServletHold hold)
            throws IOException, ServletException {
        try {
            serve(passed, request, response, chain, hold);
        } catch (IOException | ServletException | RuntimeException | Error e) {
            response.end(false, limits.statusOf(e));
            throw e;
        }
        if (request.isAsyncStarted()) {
            hold.whenOver(() -> response.end(!hold.hasFailed(), response.getStatus()));
        } else {
            response.end(true, response.getStatus());
        }
    }

    /** Counts the response just before it is committed, or when its status is known. */
    private void count(
            AnswerCount answers,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            ServletHold hold)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, new CountedResponse(response, answers));
        } catch (IOException | ServletException | RuntimeException | Error e) {
            answers.count(limits.statusOf(e));
            throw e;
        }
        if (request.isAsyncStarted()) {
            hold.whenOver(() -> answers.count(response.getStatus()));
        } else {
            answers.count(response.getStatus());
        }
    }

    private WebLimits.Outcome decided(WebLimits.Asked asked, @Nullable BodyHead head, PermitScope permits)
            throws RefusedRequestException {
        CompletionStage<WebLimits.Outcome> coming = limits.decide(asked, head == null ? null : head.fields(), permits);
        try {
            return coming.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            giveBackWhatComes(coming);
            throw interrupted();
        } catch (ExecutionException | TimeoutException e) {
            giveBackWhatComes(coming);
            throw new RefusedRequestException(500, "the rate limits of the request could not be decided");
        }
    }

    private void giveBackWhatComes(CompletionStage<WebLimits.Outcome> coming) {
        coming.thenAccept(outcome -> {
            if (outcome instanceof WebLimits.Passed passed) {
                limits.giveBack(passed);
            }
        });
    }

    private void await(Duration wait) throws RefusedRequestException {
        if (!waiting.tryAcquire()) {
            throw new RefusedRequestException(503, "time slot: too many requests wait (expected: try again later)");
        }
        CompletableFuture<Void> slot = new CompletableFuture<>();
        Clock.Alarm alarm = clock.at(clock.nanoTime() + wait.toNanos(), () -> slot.complete(null));
        try {
            slot.get();
        } catch (InterruptedException e) {
            alarm.cancel();
            throw interrupted();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            waiting.release();
        }
    }

    private static RefusedRequestException interrupted() {
        Thread.currentThread().interrupt();
        return new RefusedRequestException(503, "the application is shutting down (expected: try again later)");
    }

    /** Returns a request that provides the whole body. If an earlier filter has read the body to its end, this filter provides it. */
    private static HttpServletRequest replayed(
            WebLimits.Asked asked, HttpServletRequest request, @Nullable BodyHead head) throws IOException {
        return head == null || head.bytes().length == 0
                ? request
                : new ReplayedRequest(
                        request,
                        head,
                        Forms.isForm(asked.request().header("content-type"))
                                && asked.request().method().equals("POST"));
    }
}
