package io.sluice.spring.web.servlet;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.LimitReports;
import io.sluice.spring.web.WebAnswers;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Reports the limits of methods in the headers of a response. The thread that works for the request sets headers immediately.
 * Other threads, which must not touch a response that may have ended, leave their reports to the dispatch that continues the
 * request.
 */
final class ServletReports implements LimitReports {

    private static final String LATER = ServletReports.class.getName();

    private final Thread thread = Thread.currentThread();
    private final HttpServletResponse response;
    private final WebAnswers answers;
    private final Later later;

    private ServletReports(HttpServletResponse response, WebAnswers answers, Later later) {
        this.response = response;
        this.answers = answers;
        this.later = later;
    }

    /** Returns the reports for a request that the current thread works for. */
    static LimitReports of(ServletRequestAttributes attributes, WebAnswers answers) {
        HttpServletResponse response = attributes.getResponse();
        if (response == null) {
            return NONE;
        }
        try {
            Object known = attributes.getAttribute(LATER, RequestAttributes.SCOPE_REQUEST);
            Later later = known instanceof Later existing ? existing : new Later();
            if (known == null) {
                attributes.setAttribute(LATER, later, RequestAttributes.SCOPE_REQUEST);
            }
            return new ServletReports(response, answers, later);
        } catch (IllegalStateException requestHasEnded) {
            return NONE;
        }
    }

    @Override
    public void admitted(Ruling.Settled ruling) {
        if (Thread.currentThread() == thread) {
            write(ruling, response, answers);
        } else {
            later.add(ruling);
        }
    }

    /** Sets the headers of reports by other threads. */
    static void writeLater(ServletRequest request, HttpServletResponse response, WebAnswers answers) {
        if (request.getAttribute(LATER) instanceof Later later) {
            later.take().forEach(ruling -> write(ruling, response, answers));
        }
    }

    private static void write(Ruling.Settled ruling, HttpServletResponse response, WebAnswers answers) {
        if (!response.isCommitted()) {
            answers.addAllowed(ruling, response::getHeader, response::setHeader);
        }
    }

    /** The reports that wait for a thread of the request: the latest report of each limit. Thread-safe. */
    private static final class Later {

        private final Map<String, Ruling.Settled> rulings = new LinkedHashMap<>();

        synchronized void add(Ruling.Settled ruling) {
            Ruling.@Nullable Reported limit = ruling.reported();
            if (limit != null) {
                rulings.put(limit.id(), ruling);
            }
        }

        synchronized Collection<Ruling.Settled> take() {
            List<Ruling.Settled> all = List.copyOf(rulings.values());
            rulings.clear();
            return all;
        }
    }
}
