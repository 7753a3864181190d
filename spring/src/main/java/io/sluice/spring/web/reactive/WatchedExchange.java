package io.sluice.spring.web.reactive;

import io.sluice.spring.internal.HeaderValues;
import io.sluice.spring.web.AnswerSettlement;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** An exchange whose response settles the reservations of the request. The body is read while the application writes it. */
public final class WatchedExchange extends ServerWebExchangeDecorator {

    private static final int OK = 200;

    private final AnswerSettlement settlement;
    private final ServerHttpResponse response;

    private WatchedExchange(ServerWebExchange exchange, AnswerSettlement settlement) {
        super(exchange);
        this.settlement = settlement;
        this.response = new WatchedResponse(exchange.getResponse());
    }

    /**
     * Processes an exchange and settles when its response has ended.
     *
     * @param chain the rest of the processing
     * @param statusOf returns the status of the response to a request whose processing failed
     */
    public static Mono<Void> settle(
            ServerWebExchange exchange,
            AnswerSettlement settlement,
            Function<ServerWebExchange, Mono<Void>> chain,
            ToIntFunction<Throwable> statusOf) {
        settlement.begin();
        WatchedExchange watched = new WatchedExchange(exchange, settlement);
        return chain.apply(watched)
                .doOnError(failure -> settlement.end(false, statusOf.applyAsInt(failure), watched::values))
                .doFinally(signal -> watched.end(signal == SignalType.ON_COMPLETE));
    }

    @Override
    public ServerHttpResponse getResponse() {
        return response;
    }

    private void end(boolean complete) {
        HttpStatusCode status = response.getStatusCode();
        settlement.end(complete, status == null ? OK : status.value(), this::values);
    }

    private List<String> values(String name) {
        return HeaderValues.of(response.getHeaders(), name);
    }

    private void seen(DataBuffer buffer) {
        if (settlement.wantsBody()) {
            try (DataBuffer.ByteBufferIterator pieces = buffer.readableByteBuffers()) {
                while (pieces.hasNext()) {
                    ByteBuffer piece = pieces.next();
                    byte[] bytes = new byte[piece.remaining()];
                    piece.get(bytes);
                    settlement.piece(bytes, this::values);
                }
            }
        }
    }

    private final class WatchedResponse extends ServerHttpResponseDecorator {

        WatchedResponse(ServerHttpResponse response) {
            super(response);
        }

        /** Keeps a {@link Mono} as a {@link Mono}, because servers write it more efficiently. */
        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
            return super.writeWith(
                    body instanceof Mono<? extends DataBuffer> one
                            ? one.doOnNext(WatchedExchange.this::seen)
                            : Flux.from(body).doOnNext(WatchedExchange.this::seen));
        }

        @Override
        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
            return super.writeAndFlushWith(
                    Flux.from(body).map(part -> Flux.from(part).doOnNext(WatchedExchange.this::seen)));
        }
    }
}
