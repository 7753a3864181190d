package io.sluice.center.web;

import io.sluice.center.command.RequestTrace;
import io.sluice.center.database.Database;
import io.sluice.center.database.OutcomeUnknownException;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SignInRefusedException;
import io.sluice.center.signin.TooManyAttemptsException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** The single table that maps failures to replies. Every reply is {@code application/problem+json}. */
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    /** The reply if the database became unavailable before anything was stored. */
    static final String NOTHING_CHANGED =
            "the database is unavailable; nothing was changed, nodes keep their rules, try again";

    private final RefusedRequests requests;

    Problems(RefusedRequests requests) {
        this.requests = requests;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(RefusedException refused, HttpServletRequest request) {
        boolean isFactorNeeded = refused.why() == RefusedException.Why.NOT_FRESH;
        if (isFactorNeeded || refused.why() == RefusedException.Why.FORBIDDEN) {
            requests.forbidden(request, String.valueOf(refused.getMessage()));
        }
        HttpStatus status =
                switch (refused.why()) {
                    case INVALID -> HttpStatus.BAD_REQUEST;
                    case UNPROCESSABLE -> HttpStatus.UNPROCESSABLE_CONTENT;
                    case MISSING -> HttpStatus.NOT_FOUND;
                    case CONFLICT -> HttpStatus.CONFLICT;
                    case FORBIDDEN, NOT_FRESH -> HttpStatus.FORBIDDEN;
                };
        ProblemDetail problem = problem(status, String.valueOf(refused.getMessage()));
        if (isFactorNeeded) {
            // The same title as for endpoints that always need a fresh factor, so that pages ask for one.
            problem.setTitle("Fresh factor needed");
        }
        refused.details().forEach(problem::setProperty);
        return answer(problem);
    }

    /** Returns the same reply for every cause. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> notSignedIn(SignInRefusedException refused) {
        return ResponseEntity.status(HttpStatus.UNAUTHORIZED)
                .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"sluice\"")
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(HttpStatus.UNAUTHORIZED, String.valueOf(refused.getMessage())));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> tooOften(TooManyAttemptsException refused) {
        return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(refused.retryAfterSeconds()))
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(HttpStatus.TOO_MANY_REQUESTS, String.valueOf(refused.getMessage())));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> failed(RuntimeException failure) {
        List<Long> stored = RequestTrace.currentlyStored();
        if (Database.isUnavailable(failure)) {
            LOG.debug("the database is unavailable", failure);
            ProblemDetail problem = problem(HttpStatus.SERVICE_UNAVAILABLE, unavailable(failure, stored));
            problem.setProperty("outcome", outcome(failure, stored));
            return answer(withCommands(problem, stored));
        }
        LOG.error("a request failed", failure);
        return answer(
                withCommands(problem(HttpStatus.INTERNAL_SERVER_ERROR, "the center failed; see its log"), stored));
    }

    private static String unavailable(RuntimeException failure, List<Long> stored) {
        if (!stored.isEmpty()) {
            return "the change was stored as command " + stored.get(0) + " of the audit log; then the database became"
                    + " unavailable, so this answer does not show it";
        }
        return failure instanceof OutcomeUnknownException
                ? "the connection to the database broke while it confirmed the change, so it is not known whether the"
                        + " change was stored; repeat the request with the same Idempotency-Key, or look before you"
                        + " send it again"
                : NOTHING_CHANGED;
    }

    /** Returns the outcome of the change, for programs. */
    private static String outcome(RuntimeException failure, List<Long> stored) {
        if (!stored.isEmpty()) {
            return "stored";
        }
        return failure instanceof OutcomeUnknownException ? "unknown" : "not_changed";
    }

    private static ProblemDetail withCommands(ProblemDetail problem, List<Long> stored) {
        if (!stored.isEmpty()) {
            problem.setProperty("commands", stored);
        }
        return problem;
    }

    @Override
    protected ResponseEntity<Object> createResponseEntity(
            @org.jspecify.annotations.Nullable Object body,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        HttpHeaders own = new HttpHeaders();
        headers.forEach(own::addAll);
        own.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return new ResponseEntity<>(body, own, status);
    }

    private static ProblemDetail problem(HttpStatus status, String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setTitle(status.getReasonPhrase());
        return problem;
    }

    private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
        return ResponseEntity.status(problem.getStatus())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem);
    }
}
