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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What both filters ask: all matching rules in force, in one decision. Safe for use by many threads; never blocks, never throws.
 *
 * <p>Nothing passes that was not ruled on. Who leaves meanwhile gives nothing back of rates and windows; whom we do not serve although he
 * may pass gets back what he was charged ({@link #giveBack}). Permits of concurrency limits are given back always.
 */
public final class WebLimits {

    private final Evaluator evaluator;
    private final RequestReader reader;
    private final WebAnswers answers;
    private final Clock clock;
    private final List<PathPattern> excluded;

    /**
     * Of these rules.
     *
     * @param excluded normal paths that are not limited
     */
    public WebLimits(
            Evaluator evaluator, RequestReader reader, WebAnswers answers, Clock clock, List<PathPattern> excluded) {
        this.evaluator = evaluator;
        this.reader = reader;
        this.answers = answers;
        this.clock = clock;
        this.excluded = List.copyOf(excluded);
    }

    /** What is to be done with a request that came in. */
    public sealed interface Entry {}

    /** No rule is for it. */
    public record Free() implements Entry {}

    /** It is answered so. */
    public record Answered(WebAnswer answer) implements Entry {}

    /**
     * The rules have to be asked.
     *
     * @param fields what they want to know of its body first
     */
    public record Asked(IncomingRequest request, Map<String, String> values, Attributes known, BodyFields fields)
            implements Entry {

        /** Whether its body is to be read: rules want to know, and it has one that is not too large. */
        public boolean wantsBody() {
            String length = request.header("content-length");
            return !fields.isEmpty() && !request.isBodiless() && !isTooLarge(length) && !isMultipart(request);
        }
    }

    /** What was decided. */
    public sealed interface Outcome {}

    /**
     * It may be served.
     *
     * @param headers for the answer
     */
    public record Passed(Map<String, String> headers, Ruling.Settled ruling) implements Outcome {

        /** How long before that; zero means now. */
        public Duration waitFor() {
            return ruling.waitFor();
        }

        /** The ids of those that were asked. */
        public List<String> rules() {
            return ruling.matched();
        }
    }

    /** It is answered so. */
    public record Refused(WebAnswer answer) implements Outcome {}

    /** Whether any rule in force is for requests; if that cannot be said, {@link #enter} answers. */
    public boolean isNeeded() {
        try {
            return evaluator.rules().hasScopes();
        } catch (RuntimeException e) {
            return true;
        }
    }

    /** Takes the view of a request that its rules will be asked about. */
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
            BodyFields fields = BodyFields.of(rules.bodyFields(known));
            if (!fields.isEmpty() && request.headers("content-type").size() > 1) {
                throw RefusedRequestException.bad("content-type: several of them (expected: one)");
            }
            return new Asked(request, values, known, fields);
        } catch (RefusedRequestException e) {
            return new Answered(WebAnswer.of(e));
        } catch (RuntimeException e) {
            return new Answered(answers.failed("the limits of a request", e));
        }
    }

    /** What a request holds; to be closed when its answer has ended, whatever came of it. */
    public PermitScope newPermits() {
        return new PermitScope(evaluator, clock);
    }

    /**
     * Decides.
     *
     * @param body what was read of it, whole or so much that it is seen to be too large; null if nothing was
     * @param permits takes what the request holds from now on
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
            return CompletableFuture.completedFuture(new Refused(answers.failed("the limits of a request", e)));
        }
    }

    /** The request is not served after all: its time slots, and all else it was charged, are for others. At most once for each. */
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
                return new Refused(WebAnswer.problem(400, "limit " + impossible.limit() + ": cannot hold a request"));
            }
            return new Refused(answers.failed("the decision on a request", failure));
        } catch (RuntimeException e) {
            return new Refused(answers.failed("the answer to a request", e));
        }
    }

    private static boolean isTooLarge(@Nullable String length) {
        try {
            return length != null && Long.parseLong(length) > BodyFields.LARGEST_BODY;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Parts are the server's to read, and have no fields anyway. */
    private static boolean isMultipart(IncomingRequest request) {
        String type = request.header("content-type");
        return type != null && type.strip().regionMatches(true, 0, "multipart/", 0, 10);
    }
}
