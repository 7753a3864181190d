package io.sluice.spring.web;

import io.sluice.http.field.QueryFields;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestMethod;
import io.sluice.http.request.RequestTarget;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Origin;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.LimitReports;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The current request. It computes each value only when it is read. An ambiguous value, such as a header or query field that occurs twice
 * or a path without a normal form, throws {@link UnreadableRequestException}. Choosing one of the values could charge another caller than
 * the served caller. Treating the value as absent would charge another count, or no count.
 */
public final class LazyRequest implements CurrentRequest, LimitReports {

    private static final String HEADER = "header.";
    private static final String QUERY = "query.";

    private final IncomingRequest request;
    private final RequestReader reader;
    private final LimitReports reports;

    /**
     * Creates a view of a request.
     *
     * @param reports the response to the request
     */
    public LazyRequest(IncomingRequest request, RequestReader reader, LimitReports reports) {
        this.request = request;
        this.reader = reader;
        this.reports = reports;
    }

    @Override
    public void admitted(Ruling.Settled ruling) {
        reports.admitted(ruling);
    }

    @Override
    public @Nullable String attribute(String name) {
        try {
            return switch (name) {
                case "service" -> reader.service();
                case "path" -> target().path(reader.paths());
                case "method" -> RequestMethod.read(request.method());
                case "ip" -> reader.caller(request).map(Object::toString).orElse(null);
                default -> field(name);
            };
        } catch (RefusedRequestException e) {
            throw new UnreadableRequestException(e);
        }
    }

    @Override
    public @Nullable String sentPath() {
        try {
            RequestTarget target = target();
            target.path(reader.paths());
            return target.sentPath();
        } catch (RefusedRequestException e) {
            throw new UnreadableRequestException(e);
        }
    }

    @Override
    public Origin origin() {
        try {
            return reader.origin(request);
        } catch (RuntimeException e) {
            // The request may have ended. Its name in other systems never affects a decision.
            return Origin.UNKNOWN;
        }
    }

    @Override
    public @Nullable Principal principal() {
        return reader.somebody(request.principal());
    }

    private @Nullable String field(String name) throws RefusedRequestException {
        if (name.startsWith(HEADER)) {
            return header(name.substring(HEADER.length()).toLowerCase(java.util.Locale.ROOT));
        }
        return name.startsWith(QUERY)
                ? query(name)
                : reader.identity(request.principal()).get(name);
    }

    private @Nullable String header(String name) throws RefusedRequestException {
        List<String> lines = request.headers(name);
        if (name.equals("cookie") && !lines.isEmpty()) {
            return String.join("; ", lines);
        }
        if (lines.size() > 1) {
            throw RefusedRequestException.bad(
                    "header " + name + ": " + lines.size() + " values (expected: one, because a limit counts by it)");
        }
        if (name.equals("host") && !lines.isEmpty()) {
            return RequestReader.host(request, target());
        }
        return lines.isEmpty() ? null : lines.get(0);
    }

    private @Nullable String query(String name) throws RefusedRequestException {
        Map<String, String> found = new HashMap<>();
        QueryFields fields = QueryFields.of(List.of(name));
        String query = target().query();
        try {
            fields.addTo(found, query);
        } catch (IllegalArgumentException e) {
            throw RefusedRequestException.bad(String.valueOf(e.getMessage()));
        }
        return found.get(name);
    }

    private RequestTarget target() throws RefusedRequestException {
        return RequestTarget.read(request.method(), request.target());
    }
}
