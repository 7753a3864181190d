package io.sluice.envoy.server;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Ends calls without a valid token before their message is read. The health service is open to everybody. Thread-safe. */
final class Admission implements ServerInterceptor {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Optional<Predicate<List<String>>> tokens;

    /** The authorization of the server's own calls before it serves. */
    private volatile @Nullable String own = "Bearer " + UUID.randomUUID();

    /** @param tokens tells whether the values of the metadata are a valid token; without it, every call is admitted */
    Admission(Optional<Predicate<List<String>>> tokens) {
        this.tokens = tokens;
    }

    /** Returns the metadata of the server's own calls. */
    Metadata own() {
        Metadata headers = new Metadata();
        String value = own;
        if (value != null) {
            headers.put(AUTHORIZATION, value);
        }
        return headers;
    }

    /** From now on the server's own calls are strangers, too. */
    void endWarmUp() {
        own = null;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (tokens.isEmpty()
                || HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName())
                || isKnown(tokens.get(), headers)) {
            return next.startCall(call, headers);
        }
        call.close(
                Status.UNAUTHENTICATED.withDescription(
                        "authorization: missing or invalid (expected: Bearer and a token of this node)"),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }

    private boolean isKnown(Predicate<List<String>> valid, Metadata headers) {
        List<String> shown = new ArrayList<>();
        Iterable<String> values = headers.getAll(AUTHORIZATION);
        if (values != null) {
            values.forEach(shown::add);
        }
        String warmUp = own;
        return (warmUp != null && shown.equals(List.of(warmUp))) || valid.test(shown);
    }
}
