package io.sluice.spring.web.reactive;

import io.sluice.spring.web.Forms;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.HttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An exchange whose body has been read in part. The application can still read the whole body, as a stream or as form data. */
final class ReplayedExchange extends ServerWebExchangeDecorator {

    private static final ResolvableType FORM =
            ResolvableType.forClassWithGenerics(MultiValueMap.class, String.class, String.class);

    private final ServerHttpRequest request;
    private final Mono<MultiValueMap<String, String>> form;

    ReplayedExchange(ServerWebExchange exchange, BodyHead head, List<HttpMessageReader<?>> readers) {
        super(exchange);
        Flux<DataBuffer> body = head.whole(exchange.getResponse().bufferFactory());
        this.request = new ServerHttpRequestDecorator(exchange.getRequest()) {
            @Override
            public Flux<DataBuffer> getBody() {
                return body;
            }
        };
        this.form = Mono.defer(() -> form(readers)).cache();
    }

    @Override
    public ServerHttpRequest getRequest() {
        return request;
    }

    @Override
    public Mono<MultiValueMap<String, String>> getFormData() {
        return form;
    }

    private Mono<MultiValueMap<String, String>> form(List<HttpMessageReader<?>> readers) {
        MultiValueMap<String, String> none = new LinkedMultiValueMap<>(0);
        if (!Forms.isForm(request.getHeaders().getFirst("content-type"))) {
            return Mono.just(none);
        }
        for (HttpMessageReader<?> reader : readers) {
            if (reader.canRead(FORM, MediaType.APPLICATION_FORM_URLENCODED)) {
                return reader.readMono(FORM, request, Map.of())
                        .map(ReplayedExchange::cast)
                        .defaultIfEmpty(none);
            }
        }
        return Mono.just(none);
    }

    @SuppressWarnings("unchecked")
    private static MultiValueMap<String, String> cast(Object data) {
        return (MultiValueMap<String, String>) data;
    }
}
