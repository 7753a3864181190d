package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import io.sluice.http.field.BodyFields;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestTarget;
import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.internal.Rulings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The decision that the filters of both stacks ask for, about all matching rules in force together. The rules that act before callers are
 * authenticated form a decision of their own ({@link #early}). Thread-safe; never blocks, never throws.
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
    private final boolean early;

    /**
     * Creates the decision.
     *
     * @param excluded normalized paths that are not limited
     */
    public WebLimits(
            Evaluator evaluator, RequestReader reader, WebAnswers answers, Clock clock, List<PathPattern> excluded) {
        this(evaluator, reader, answers, clock, excluded, false);
    }

    private WebLimits(
            Evaluator evaluator,
            RequestReader reader,
            WebAnswers answers,
            Clock clock,
            List<PathPattern> excluded,
            boolean early) {
        this.evaluator = evaluator;
        this.reader = reader;
        this.answers = answers;
        this.clock = clock;
        this.excluded = List.copyOf(excluded);
        this.early = early;
    }

    /** Returns the decision of the rules that act before callers are authenticated. */
    public WebLimits early() {
        return new WebLimits(evaluator, reader, answers, clock, excluded, true);
    }

    /** Returns whether this is the decision before callers are authenticated. */
    public boolean isEarly() {
        return early;
    }

    /** The first result for a request that arrived. */
    public sealed interface Entry {}

    /** No rule applies to the request. */
    public record Free() implements Entry {}

    /** The request is answered immediately. */
    public record Answered(WebAnswer answer) implements Entry {}

    /**
     * The rules have to decide about the request.
     *
     * @param fields the body fields that the rules need
     * @param decidedEarly whether the early rules have already decided about the request
     */
    public record Asked(
            IncomingRequest request,
            Map<String, String> values,
            Attributes known,
            BodyFields fields,
            boolean decidedEarly)
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
     * @param answers receives the status of the response; null if no rule counts it
     * @param settlement receives the response; null if the request has reserved nothing
     */
    public record Passed(
            Map<String, String> headers,
            Ruling.Settled ruling,
            @Nullable AnswerCount answers,
            @Nullable AnswerSettlement settlement)
            implements Outcome {

        /** Returns the time that the request has to wait first; zero if it need not wait. */
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

    /** Returns whether any rule in force applies to requests. Also returns true if this is unknown; {@link #enter} then answers. */
    public boolean isNeeded() {
        try {
            return isNeeded(evaluator.rules());
        } catch (RuntimeException e) {
            return true;
        }
    }

    private boolean isNeeded(RuleSet rules) {
        return early ? rules.hasEarly() : rules.hasScopes();
    }

    /**
     * Builds the view of a request that the rules decide about.
     *
     * @param decidedEarly whether the early rules have already decided about the request
     */
    public Entry enter(IncomingRequest request, boolean decidedEarly) {
        try {
            RuleSet rules = evaluator.rules();
            if (!isNeeded(rules)) {
                return new Free();
            }
            Map<String, String> values = early ? reader.early(request, rules) : reader.attributes(request, rules);
            Attributes known = Attributes.of(values, reader.paths());
            if (isExcluded(known)) {
                return new Free();
            }
            known = known.from(reader.origin(request));
            BodyFields fields = early ? BodyFields.of(Set.of()) : fields(request, rules, known);
            return new Asked(request, values, known, fields, decidedEarly);
        } catch (RefusedRequestException e) {
            return new Answered(WebAnswer.of(e));
        } catch (RuntimeException e) {
            return new Answered(answers.failed("deciding a request's limits", e));
        }
    }

    private boolean isExcluded(Attributes request) {
        for (PathPattern pattern : excluded) {
            if (request.inEveryReading(each -> pattern.matches(Objects.requireNonNull(each.get("path"))))) {
                return true;
            }
        }
        return false;
    }

    private BodyFields fields(IncomingRequest request, RuleSet rules, Attributes known) throws RefusedRequestException {
        Set<String> named = rules.bodyFields(known);
        if (named.isEmpty()) {
            return BodyFields.of(named);
        }
        if (request.headers("content-type").size() > 1) {
            throw RefusedRequestException.bad("content-type: occurs several times (expected: once)");
        }
        BodyFields fields = BodyFields.of(named, evaluator.rules(known).requiredFields(known));
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

    /** Returns a scope for the permits of a request. Close it when the response has ended, for every outcome. */
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
            if (early) {
                return evaluator
                        .evaluateEarly(asked.known())
                        .handle((ruling, failure) -> ruled(asked, ruling, failure, permits));
            }
            Attributes request = withFields(asked, body);
            CompletionStage<Ruling> coming =
                    asked.decidedEarly() ? evaluator.evaluateAfterEarly(request, 1) : evaluator.evaluate(request, 1);
            return coming.handle((ruling, failure) -> outcome(asked, ruling, null, failure, permits));
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
        return Attributes.of(asked.values(), reader.paths()).from(asked.known().origin());
    }

    private Outcome ruled(Asked asked, @Nullable EarlyRuling ruling, @Nullable Throwable failure, PermitScope permits) {
        if (ruling == null) {
            return outcome(asked, null, null, failure, permits);
        }
        Ruling said = ruling.ruling().orElseGet(() -> Rulings.unlimited(0));
        AnswerCount counted = ruling.countsAnswer() ? new AnswerCount(evaluator, ruling, answers) : null;
        return outcome(asked, said, counted, failure, permits);
    }

    private Outcome outcome(
            Asked asked,
            @Nullable Ruling ruling,
            @Nullable AnswerCount counted,
            @Nullable Throwable failure,
            PermitScope permits) {
        try {
            if (ruling instanceof Ruling.Settled settled) {
                permits.hold(settled.permit());
                return settled.allowed()
                        ? new Passed(answers.allowed(settled), settled, counted, settlement(settled))
                        : new Refused(answers.refused(settled, asked.request().header("accept-language")));
            }
            if (ruling instanceof Ruling.Impossible impossible) {
                return new Refused(WebAnswer.problem(400, "limit " + impossible.limit() + ": cannot hold one request"));
            }
            return new Refused(answers.failed("deciding a request's limits", failure));
        } catch (RuntimeException e) {
            return new Refused(answers.failed("building a response", e));
        }
    }

    private @Nullable AnswerSettlement settlement(Ruling.Settled ruling) {
        if (ruling.reservation() == null) {
            return null;
        }
        AnswerSettlement settlement = new AnswerSettlement(evaluator);
        settlement.add(ruling.reservation());
        return settlement;
    }

    /** Returns the status of the response to a request whose processing failed. */
    public int statusOf(Throwable failure) {
        return Refusals.answer(failure, answers, null).map(WebAnswer::status).orElse(500);
    }

    /** Returns whether a body is multipart. Multipart bodies are left to the server; rules cannot read fields from them. */
    private static boolean isMultipart(IncomingRequest request) {
        String type = request.header("content-type");
        return type != null && type.strip().regionMatches(true, 0, "multipart/", 0, 10);
    }
}
