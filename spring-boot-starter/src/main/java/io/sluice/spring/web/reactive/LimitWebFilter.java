package io.sluice.spring.web.reactive;

import io.sluice.core.time.Clock;
import io.sluice.rules.RefusedRequestException;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.Forms;
import io.sluice.spring.web.Holding;
import io.sluice.spring.web.WebAnswer;
import io.sluice.spring.web.WebLimits;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.codec.HttpMessageReader;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Applies the rules in force to every request, once. Never blocks. Safe for use by many threads.
 *
 * <p>A request goes on where it came from if the decision is there at once; after a store, a body or a time slot was waited for, on
 * Reactor's parallel threads.
 */
public final class LimitWebFilter implements WebFilter, Ordered {

    private static final String SEEN = LimitWebFilter.class.getName();

    private final WebLimits limits;
    private final Clock clock;
    private final BodyMemory memory;
    private final List<HttpMessageReader<?>> readers;
    private final int order;

    /**
     * A filter.
     *
     * @param readers with which the application reads forms
     */
    public LimitWebFilter(
            WebLimits limits, Clock clock, BodyMemory memory, List<HttpMessageReader<?>> readers, int order) {
        this.limits = limits;
        this.clock = clock;
        this.memory = memory;
        this.readers = List.copyOf(readers);
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!limits.isNeeded() || exchange.getAttributes().putIfAbsent(SEEN, true) != null) {
            return chain.filter(exchange);
        }
        return Mono.deferContextual(context -> exchange.getPrincipal()
                .map(Optional::<Principal>of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(principal ->
                        entered(limits.enter(ReactiveIncoming.of(exchange, context, principal)), exchange, chain)));
    }

    private Mono<Void> entered(WebLimits.Entry entry, ServerWebExchange exchange, WebFilterChain chain) {
        if (entry instanceof WebLimits.Answered answered) {
            return ReactiveAnswer.send(answered.answer(), exchange.getResponse());
        }
        if (!(entry instanceof WebLimits.Asked asked)) {
            return chain.filter(exchange);
        }
        Holding holding = limits.holding();
        Mono<Void> all = asked.wantsBody()
                ? withBody(asked, holding, exchange, chain)
                : decided(asked, null, holding, exchange, chain);
        return all.doFinally(signal -> holding.close());
    }

    private Mono<Void> withBody(
            WebLimits.Asked asked, Holding holding, ServerWebExchange exchange, WebFilterChain chain) {
        BodyHead head = new BodyHead(memory);
        return head.of(exchange.getRequest().getBody(), clock)
                .map(bytes -> (Object) bytes)
                .onErrorResume(RefusedRequestException.class, Mono::just)
                .publishOn(Schedulers.parallel())
                .flatMap(read -> {
                    if (read instanceof RefusedRequestException refused) {
                        return ReactiveAnswer.send(WebAnswer.of(refused), exchange.getResponse());
                    }
                    byte[] bytes = (byte[]) read;
                    return bytes.length == 0 && Forms.isForm(asked.request().header("content-type"))
                            ? taken(exchange).flatMap(form -> decided(asked, form, holding, exchange, chain))
                            : decided(asked, bytes, holding, new ReplayedExchange(exchange, head, readers), chain);
                })
                .doFinally(signal -> head.close());
    }

    /** A filter before us asked for the form, and so it has been read. */
    private static Mono<byte[]> taken(ServerWebExchange exchange) {
        return exchange.getFormData().map(Forms::written).defaultIfEmpty(new byte[0]);
    }

    private Mono<Void> decided(
            WebLimits.Asked asked,
            byte @Nullable [] body,
            Holding holding,
            ServerWebExchange exchange,
            WebFilterChain chain) {
        CompletableFuture<WebLimits.Outcome> stage =
                limits.decide(asked, body, holding).toCompletableFuture();
        Mono<WebLimits.Outcome> outcome = stage.isDone()
                ? Mono.fromFuture(stage)
                : Mono.fromFuture(stage, true).publishOn(Schedulers.parallel());
        return outcome.flatMap(known -> {
            if (known instanceof WebLimits.Passed passed) {
                passed.headers().forEach(exchange.getResponse().getHeaders()::set);
                return passed.waitFor().isZero()
                        ? chain.filter(exchange)
                        : slot(passed.waitFor()).then(Mono.defer(() -> chain.filter(exchange)));
            }
            return ReactiveAnswer.send(((WebLimits.Refused) known).answer(), exchange.getResponse());
        });
    }

    private Mono<Void> slot(Duration wait) {
        return Mono.<Void>create(sink -> {
                    Clock.Alarm alarm = clock.at(clock.nanoTime() + wait.toNanos(), sink::success);
                    sink.onDispose(alarm::cancel);
                })
                .publishOn(Schedulers.parallel());
    }
}
