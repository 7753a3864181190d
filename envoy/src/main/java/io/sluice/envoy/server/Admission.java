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
import java.util.function.Predicate;

/** Ends calls without a valid token before their message is read. The health service needs no token. Thread-safe. */
final class Admission implements ServerInterceptor {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Optional<Predicate<List<String>>> tokens;

    /** @param tokens accepts the values of the metadata if they are a valid token; without it, every call is admitted */
    Admission(Optional<Predicate<List<String>>> tokens) {
        this.tokens = tokens;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (tokens.isEmpty()
                || HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName())
                || tokens.get().test(shown(headers))) {
            return next.startCall(call, headers);
        }
        call.close(
                Status.UNAUTHENTICATED.withDescription(
                        "authorization: missing or invalid (expected: Bearer and a token of this node)"),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }

    private static List<String> shown(Metadata headers) {
        List<String> shown = new ArrayList<>();
        Iterable<String> values = headers.getAll(AUTHORIZATION);
        if (values != null) {
            values.forEach(shown::add);
        }
        return shown;
    }
}
