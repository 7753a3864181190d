package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import io.sluice.http.field.BodyFields;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestTarget;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.internal.PermitScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The decision that both filters ask for: all matching rules in force, at once. Thread-safe; never blocks, never throws.
 *
 * <p>No request passes without a decision. If the caller disconnects while waiting, charges of rates and windows stay. If a
 * request was allowed but is not served, its charges are returned ({@link #giveBack}). Concurrency permits are always released.
 */
public final class WebLimits {

    private final Evaluator evaluator;
    private final RequestReader reader;
    private final WebAnswers answers;
    private final Clock clock;
    private final List<PathPattern> excluded;

    /**
     * Creates the decision.
     *
     * @param excluded normalized paths that are not limited
     */
    public WebLimits(
            Evaluator evaluator, RequestReader reader, WebAnswers answers, Clock clock, List<PathPattern> excluded) {
        this.evaluator = evaluator;
        this.reader = reader;
        this.answers = answers;
        this.clock = clock;
        this.excluded = List.copyOf(excluded);
    }

    /** What to do with a request that arrived. */
    public sealed interface Entry {}

    /** No rule applies to the request. */
    public record Free() implements Entry {}

    /** The request is answered at once. */
    public record Answered(WebAnswer answer) implements Entry {}

    /**
     * The rules have to decide about the request.
     *
     * @param fields the body fields that the rules need
     */
    public record Asked(IncomingRequest request, Map<String, String> values, Attributes known, BodyFields fields)
            implements Entry {

        /** Returns whether the body must be read: rules need its fields, and it exists, is not too large and is not multipart. */
        public boolean wantsBody() {
            String length = request.header("content-length");
            return !fields.isEmpty()
                    && !request.isBodiless()
                    && !BodyFields.isTooLong(length)
                    && !BodyFields.isCompressed(request.headers("content-encoding"))
                    && !isMultipart(request);
        }
    }

    /** The decision about a request. */
    public sealed interface Outcome {}

    /**
     * The request may be served.
     *
     * @param headers the headers to add to the response
     */
    public record Passed(Map<String, String> headers, Ruling.Settled ruling) implements Outcome {

        /** Returns how long the request has to wait first; zero means not at all. */
        public Duration waitFor() {
            return ruling.waitFor();
        }

        /** Returns the ids of the rules that decided. */
        public List<String> rules() {
            return ruling.matched();
        }
    }

    /** The request is refused with this response. */
    public record Refused(WebAnswer answer) implements Outcome {}

    /** Returns whether any rule in force applies to requests. Also true if that is unknown; {@link #enter} then answers. */
    public boolean isNeeded() {
        try {
            return evaluator.rules().hasScopes();
        } catch (RuntimeException e) {
            return true;
        }
    }

    /** Builds the view of a request that the rules decide about. */
    public Entry enter(IncomingRequest request) {
        try {
            RuleSet rules = evaluator.rules();
            if (!rules.hasScopes()) {
                return new Free();
            }
            Map<String, String> values = reader.attributes(request, rules);
            String path = values.getOrDefault("path", "/");
            for (PathPattern pattern : excluded) {
                if (pattern.matches(path)) {
                    return new Free();
                }
            }
            Attributes known = Attributes.of(values, reader.paths());
            return new Asked(request, values, known, fields(request, rules, known));
        } catch (RefusedRequestException e) {
            return new Answered(WebAnswer.of(e));
        } catch (RuntimeException e) {
            return new Answered(answers.failed("deciding a request's limits", e));
        }
    }

    private static BodyFields fields(IncomingRequest request, RuleSet rules, Attributes known)
            throws RefusedRequestException {
        Set<String> named = rules.bodyFields(known);
        if (named.isEmpty()) {
            return BodyFields.of(named);
        }
        if (request.headers("content-type").size() > 1) {
            throw RefusedRequestException.bad("content-type: occurs several times (expected: once)");
        }
        BodyFields fields = BodyFields.of(named, rules.requiredFields(known));
        BodyFields.Unread unread = request.isBodiless()
                ? null
                : fields.unread(
                        request.header("content-type"),
                        request.headers("content-encoding"),
                        request.header("content-length"));
        if (unread != null) {
            throw new RefusedRequestException(unread.status(), unread.message());
        }
        return fields;
    }

    /** Returns a scope for the permits of a request. Close it when the response has ended, whatever the outcome. */
    public PermitScope newPermits() {
        return new PermitScope(evaluator, clock);
    }

    /**
     * Decides about a request.
     *
     * @param body the whole body, or enough of it to show that it is too large; null if it was not read
     * @param permits receives the permits that the request holds from now on
     */
    public CompletionStage<Outcome> decide(Asked asked, byte @Nullable [] body, PermitScope permits) {
        try {
            Attributes request = withFields(asked, body);
            return evaluator.evaluate(request, 1).handle((ruling, failure) -> {
                if (ruling instanceof Ruling.Settled settled) {
                    permits.hold(settled.permit());
                }
                return outcome(asked.request(), ruling, failure);
            });
        } catch (RefusedRequestException e) {
            return CompletableFuture.completedFuture(new Refused(WebAnswer.of(e)));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(new Refused(answers.failed("deciding a request's limits", e)));
        }
    }

    /**
     * Returns the time slots and all other charges of a request that is not served after all. Call it at most once per request.
     */
    public void giveBack(Passed passed) {
        evaluator.giveBack(passed.ruling());
    }

    private Attributes withFields(Asked asked, byte @Nullable [] body) throws RefusedRequestException {
        IncomingRequest request = asked.request();
        if (asked.fields().isEmpty() || (body == null && !request.isBodiless())) {
            return asked.known();
        }
        String query = RequestTarget.read(request.method(), request.target()).query();
        BodyFields.Body said = asked.fields()
                .read(
                        request.header("content-type"),
                        query.isEmpty() ? null : query,
                        body == null ? new byte[0] : body);
        if (said instanceof BodyFields.Ambiguous ambiguous) {
            throw RefusedRequestException.bad(ambiguous.message());
        }
        if (said instanceof BodyFields.Unread unread) {
            throw new RefusedRequestException(unread.status(), unread.message());
        }
        Map<String, String> found = ((BodyFields.Found) said).attributes();
        if (found.isEmpty()) {
            return asked.known();
        }
        asked.values().putAll(found);
        return Attributes.of(asked.values(), reader.paths());
    }

    private Outcome outcome(IncomingRequest request, @Nullable Ruling ruling, @Nullable Throwable failure) {
        try {
            if (ruling instanceof Ruling.Settled settled) {
                return settled.allowed()
                        ? new Passed(answers.allowed(settled), settled)
                        : new Refused(answers.refused(settled, request.header("accept-language")));
            }
            if (ruling instanceof Ruling.Impossible impossible) {
                return new Refused(WebAnswer.problem(400, "limit " + impossible.limit() + ": cannot hold one request"));
            }
            return new Refused(answers.failed("deciding a request's limits", failure));
        } catch (RuntimeException e) {
            return new Refused(answers.failed("building a response", e));
        }
    }

    /** Multipart bodies are left to the server; rules cannot read fields from them. */
    private static boolean isMultipart(IncomingRequest request) {
        String type = request.header("content-type");
        return type != null && type.strip().regionMatches(true, 0, "multipart/", 0, 10);
    }
}
