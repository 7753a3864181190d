package io.sluice.center.web;

import io.sluice.center.command.Actor;
import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.command.AnsweredRequests.Answer;
import io.sluice.center.command.AnsweredRequests.Earlier;
import io.sluice.center.command.RequestKey;
import io.sluice.center.command.RequestTrace;
import io.sluice.center.database.Database;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.Problem;
import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Answers a repeated change with its first reply: a request of the same actor with the same {@code Idempotency-Key} and the same
 * content. A refused change is decided again. A key on a sign-in has no effect.
 */
final class RepetitionFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(RepetitionFilter.class);
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    /** Requests that start, change or end a session. Repeating an earlier reply could not bring the session back. */
    private static final Pattern SESSIONS = Pattern.compile("/api/(session|set-up)(/.*)?");

    private static final String HEADER = "Idempotency-Key";
    private static final String REPEATED = "Idempotency-Repeated";

    private final transient AnsweredRequests requests;

    RepetitionFilter(AnsweredRequests requests) {
        this.requests = requests;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (READING.contains(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        Optional<RequestKey> key;
        Optional<Earlier> earlier;
        try {
            key = key(request);
            earlier = key.flatMap(requests::find);
        } catch (RefusedException e) {
            Problem.write(response, HttpServletResponse.SC_BAD_REQUEST, "Bad Request", String.valueOf(e.getMessage()));
            return;
        } catch (RuntimeException e) {
            if (!Database.isUnavailable(e)) {
                throw e;
            }
            Problem.write(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    "Service Unavailable",
                    Problems.NOTHING_CHANGED);
            return;
        }
        if (earlier.isPresent()) {
            repeat(response, earlier.get());
            return;
        }
        try (RequestTrace trace = RequestTrace.begin(key)) {
            if (key.isPresent()) {
                carryOut(request, response, chain, trace, key.get());
            } else {
                chain.doFilter(request, response);
            }
        }
    }

    private static Optional<RequestKey> key(HttpServletRequest request) {
        @Nullable String text = request.getHeader(HEADER);
        if (text == null
                || SESSIONS.matcher(request.getRequestURI()).matches()
                || !(request.getAttribute(CurrentAccess.ACTOR) instanceof Actor actor)) {
            return Optional.empty();
        }
        if (!RequestKey.FORM.matcher(text).matches()) {
            throw RefusedException.invalid(
                    HEADER + ": " + text.length()
                            + " characters, or some that cannot be seen (expected: 16 to 200 visible characters, such as a UUID)");
        }
        @Nullable String query = request.getQueryString();
        return Optional.of(new RequestKey(
                text,
                actor,
                request.getMethod() + " " + request.getRequestURI() + (query == null ? "" : "?" + query),
                request.getAttribute(CurrentAccess.BODY) instanceof byte[] body ? body : new byte[0]));
    }

    private static void repeat(HttpServletResponse response, Earlier earlier) throws IOException {
        if (!earlier.isSame()) {
            Problem.write(
                    response,
                    HttpServletResponse.SC_UNPROCESSABLE_CONTENT,
                    "Unprocessable Content",
                    HEADER + ": used for another request, which was carried out as command " + earlier.command()
                            + " of the audit log (expected: a new key for each request)");
        } else if (earlier.answer().isEmpty()) {
            RefusedException refusal = AnsweredRequests.inProgress(earlier.command());
            Problem.write(
                    response,
                    HttpServletResponse.SC_CONFLICT,
                    "Conflict",
                    String.valueOf(refusal.getMessage()),
                    refusal.details());
        } else {
            Answer answer = earlier.answer().get();
            response.setStatus(answer.status());
            response.setHeader(REPEATED, "true");
            if (!answer.type().isEmpty()) {
                response.setContentType(answer.type());
            }
            response.getOutputStream().write(answer.body());
        }
    }

    /** Stores the reply before it is sent, so that a caller who does not receive it can ask again. */
    private void carryOut(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            RequestTrace trace,
            RequestKey key)
            throws IOException, ServletException {
        ContentCachingResponseWrapper kept = new ContentCachingResponseWrapper(response);
        chain.doFilter(request, kept);
        boolean isSession = !response.getHeaders("Set-Cookie").isEmpty();
        if (!trace.stored().isEmpty() && kept.getStatus() < 300 && !isSession) {
            @Nullable String type = kept.getContentType();
            try {
                requests.answer(
                        key, new Answer(kept.getStatus(), type == null ? "" : type, kept.getContentAsByteArray()));
            } catch (RuntimeException e) {
                if (!Database.isUnavailable(e)) {
                    throw e;
                }
                LOG.debug("the answer to a request cannot be stored, so it is not repeated", e);
            }
        }
        kept.copyBodyToResponse();
    }
}
