package io.sluice.envoy.server;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.sluice.rules.pattern.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Notes the trace and the request id in the metadata of a call. A call without them costs two lookups. Thread-safe. */
final class CallOrigin implements ServerInterceptor {

    private static final Context.Key<Origin> KEY = Context.keyWithDefault("origin", Origin.UNKNOWN);
    private static final Metadata.Key<String> PARENT = key("traceparent");
    private static final Metadata.Key<String> REQUEST = key("x-request-id");

    private final Function<Function<String, List<String>>, Origin> reader;

    /** @param reader reads an origin, given a function that returns all values of a header by its name in lower case */
    CallOrigin(Function<Function<String, List<String>>, Origin> reader) {
        this.reader = reader;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Returns the origin of the call that this thread starts. */
    static Origin current() {
        return KEY.get();
    }

    /** Returns the name of a call for the log. It contains no characters that need to be escaped. */
    static String named(Origin origin) {
        String request = origin.requestId().isEmpty() ? "" : ", request " + origin.requestId();
        return origin.traceId().isEmpty() ? request : request + ", trace " + origin.traceId();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!headers.containsKey(PARENT) && !headers.containsKey(REQUEST)) {
            return next.startCall(call, headers);
        }
        Origin origin = reader.apply(name -> all(headers.getAll(key(name))));
        return Contexts.interceptCall(Context.current().withValue(KEY, origin), call, headers, next);
    }

    private static List<String> all(@Nullable Iterable<String> values) {
        List<String> all = new ArrayList<>(1);
        if (values != null) {
            values.forEach(all::add);
        }
        return all;
    }
}
