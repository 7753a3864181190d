package io.sluice.spring.client;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.PermitScope;
import java.util.concurrent.CompletionStage;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/** Limits the calls of {@code WebClient}. Each subscription is decided on its own. */
final class ReactiveCallLimit implements ExchangeFilterFunction {

    private final CallGate gate;

    ReactiveCallLimit(CallGate gate) {
        this.gate = gate;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> {
            OutboundCall call = new OutboundCall(request.method(), request.url(), request.headers());
            Admission admission = gate.admit(call);
            if (admission == null) {
                return next.exchange(request);
            }
            PermitScope permits = gate.newPermits();
            return Mono.<Ruling.Settled>create(sink -> hear(admission, permits, sink))
                    .flatMap(ruling -> ruling.allowed()
                            ? next.exchange(request)
                                    .map(response -> heard(call, response, ruling.permit() != null, permits))
                            : Mono.error(new RateLimitExceededException(ruling)))
                    .doOnError(failure -> permits.close())
                    .doOnCancel(permits::close);
        });
    }

    private static void hear(Admission admission, PermitScope permits, MonoSink<Ruling.Settled> sink) {
        boolean here = admission.isDone();
        sink.onCancel(() -> admission.cancel(false));
        CompletionStage<Ruling.Settled> admitted = admission;
        admitted.whenComplete((ruling, failure) -> {
            if (failure != null) {
                sink.error(failure);
                return;
            }
            permits.hold(ruling.permit());
            if (here) {
                sink.success(ruling);
            } else {
                // Continue on another thread than the thread that delivers the store's replies or runs timers.
                Schedulers.parallel().schedule(() -> sink.success(ruling));
            }
        });
    }

    private ClientResponse heard(OutboundCall call, ClientResponse response, boolean holds, PermitScope permits) {
        gate.answered(call, response.statusCode().value(), response.headers().asHttpHeaders());
        return holds
                ? response.mutate()
                        .body(body -> body.doFinally(end -> permits.close()))
                        .build()
                : response;
    }
}
