package io.sluice.spring.client;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.PermitScope;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/** Limits the calls of blocking clients. */
final class BlockingCallLimit implements ClientHttpRequestInterceptor {

    private final CallGate gate;

    BlockingCallLimit(CallGate gate) {
        this.gate = gate;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        OutboundCall call = new OutboundCall(request.getMethod(), request.getURI(), request.getHeaders());
        Admission admission = gate.admit(call);
        if (admission == null) {
            return execution.execute(request, body);
        }
        Ruling.Settled ruling = await(admission, call);
        if (!ruling.allowed()) {
            throw new RateLimitExceededException(ruling);
        }
        PermitScope permits = gate.newPermits();
        permits.hold(ruling.permit());
        boolean answered = false;
        try {
            ClientHttpResponse response = execution.execute(request, body);
            gate.answered(call, response.getStatusCode().value(), response.getHeaders());
            answered = true;
            return ruling.permit() == null ? response : new HoldingResponse(response, permits);
        } finally {
            if (!answered) {
                permits.close();
            }
        }
    }

    private static Ruling.Settled await(Admission admission, OutboundCall call) throws InterruptedIOException {
        try {
            return admission.get();
        } catch (InterruptedException e) {
            if (!admission.cancel(false) && !admission.isCompletedExceptionally()) {
                admission.giveBack(admission.join());
            }
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a call to " + call.host() + " waited for a rate limit");
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("the rate limit for a call to " + call.host() + " could not be decided", e);
        }
    }
}
