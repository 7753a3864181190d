package io.sluice.spring.web.reactive;

import io.sluice.core.time.Clock;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.spring.internal.ChargedRules;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.web.AnswerCount;
import io.sluice.spring.web.AnswerSettlement;
import io.sluice.spring.web.BodyBuffer;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.Forms;
import io.sluice.spring.web.WebAnswer;
import io.sluice.spring.web.WebLimits;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.codec.HttpMessageReader;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Applies the rules in force to every request, once. Never blocks. Thread-safe.
 *
 * <p>If the decision is known immediately, the request continues on the same thread. If it had to wait for the store, a body or
 * a time slot, it continues on the event loop of its connection.
 */
public final class LimitWebFilter implements WebFilter, Ordered {

    private static final String SEEN = LimitWebFilter.class.getName();
    private static final int OK = 200;

    /** The status that rules see if the caller leaves before the response starts. */
    private static final int LEFT = 499;

    private static final String SEEN_EARLY = SEEN + ".early";

    private final WebLimits limits;
    private final String seen;
    private final Clock clock;
    private final BodyMemory memory;
    private final List<HttpMessageReader<?>> readers;
    private final int order;

    /**
     * Creates a filter.
     *
     * @param readers the message readers with which the application reads forms
     */
    public LimitWebFilter(
            WebLimits limits, Clock clock, BodyMemory memory, List<HttpMessageReader<?>> readers, int order) {
        this.limits = limits;
        this.seen = limits.isEarly() ? SEEN_EARLY : SEEN;
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
        if (!limits.isNeeded() || exchange.getAttributes().putIfAbsent(seen, true) != null) {
            return chain.filter(exchange);
        }
        return Mono.deferContextual(context -> caller(exchange)
                .flatMap(principal -> entered(ReactiveIncoming.of(exchange, context, principal), exchange, chain)));
    }

    /** Returns the authenticated caller; before Spring Security, no caller is authenticated. */
    private Mono<Optional<Principal>> caller(ServerWebExchange exchange) {
        return limits.isEarly()
                ? Mono.just(Optional.empty())
                : exchange.getPrincipal().map(Optional::<Principal>of).defaultIfEmpty(Optional.empty());
    }

    private Mono<Void> entered(ReactiveIncoming request, ServerWebExchange exchange, WebFilterChain chain) {
        WebLimits.Entry entry = limits.enter(request, exchange.getAttribute(SEEN_EARLY) != null);
        if (entry instanceof WebLimits.Answered answered) {
            return ReactiveAnswer.send(answered.answer(), exchange);
        }
        if (!(entry instanceof WebLimits.Asked asked)) {
            return chain.filter(exchange);
        }
        Pending pending = new Pending(asked, limits.newPermits(), chain);
        Mono<Void> all = asked.wantsBody() ? withBody(pending, exchange) : decided(pending, null, exchange);
        return all.doFinally(signal -> pending.permits().close());
    }

    /** A request that is being decided. */
    private record Pending(WebLimits.Asked asked, PermitScope permits, WebFilterChain chain) {}

    private Mono<Void> withBody(Pending pending, ServerWebExchange exchange) {
        BodyHead head = new BodyHead(
                new BodyBuffer(memory, exchange.getRequest().getHeaders().getContentLength()));
        return head.of(exchange.getRequest().getBody(), clock)
                .map(bytes -> (Object) bytes)
                .onErrorResume(RefusedRequestException.class, Mono::just)
                .publishOn(ConnectionThread.of(exchange.getRequest()))
                .flatMap(read -> {
                    if (read instanceof RefusedRequestException refused) {
                        return ReactiveAnswer.send(WebAnswer.of(refused), exchange);
                    }
                    byte[] bytes = (byte[]) read;
                    boolean taken = bytes.length == 0
                            && Forms.isForm(pending.asked().request().header("content-type"));
                    return taken
                            ? taken(exchange).flatMap(form -> decided(pending, form, exchange))
                            : decided(pending, bytes, new ReplayedExchange(exchange, head, readers));
                })
                .doFinally(signal -> head.close());
    }

    /** Returns a form that an earlier filter has already read. */
    private static Mono<byte[]> taken(ServerWebExchange exchange) {
        return exchange.getFormData().map(Forms::written).defaultIfEmpty(new byte[0]);
    }

    private Mono<Void> decided(Pending pending, byte @Nullable [] body, ServerWebExchange exchange) {
        CompletableFuture<WebLimits.Outcome> stage =
                limits.decide(pending.asked(), body, pending.permits()).toCompletableFuture();
        Mono<WebLimits.Outcome> outcome = stage.isDone()
                ? Mono.fromFuture(stage)
                : Mono.fromFuture(stage, true).publishOn(ConnectionThread.of(exchange.getRequest()));
        return outcome.doOnCancel(() -> abandon(stage))
                .flatMap(known -> known instanceof WebLimits.Passed passed
                        ? passed(passed, pending, exchange)
                        : ReactiveAnswer.send(((WebLimits.Refused) known).answer(), exchange));
    }

    /** Gives up the settlement of a decision that comes after the caller has left. */
    private static void abandon(CompletionStage<WebLimits.Outcome> stage) {
        stage.thenAccept(outcome -> {
            if (outcome instanceof WebLimits.Passed passed && passed.settlement() != null) {
                passed.settlement().abandon();
            }
        });
    }

    private Mono<Void> passed(WebLimits.Passed passed, Pending pending, ServerWebExchange exchange) {
        ChargedRules.add(exchange.getAttributes(), passed.rules());
        ReactiveAnswer.addTo(exchange, passed.headers());
        Mono<Void> rest = passed.waitFor().isZero()
                ? served(passed, pending, exchange)
                : slot(passed.waitFor())
                        .publishOn(ConnectionThread.of(exchange.getRequest()))
                        .then(Mono.defer(() -> served(passed, pending, exchange)));
        AnswerCount answers = passed.answers();
        return answers == null ? rest : counted(answers, rest, exchange.getResponse());
    }

    private Mono<Void> served(WebLimits.Passed passed, Pending pending, ServerWebExchange exchange) {
        AnswerSettlement settlement = passed.settlement();
        return settlement == null
                ? pending.chain().filter(exchange)
                : WatchedExchange.settle(exchange, settlement, pending.chain()::filter, limits::statusOf);
    }

    /** Counts the response just before its head is sent, or when the caller leaves before that. */
    private static Mono<Void> counted(AnswerCount answers, Mono<Void> rest, ServerHttpResponse response) {
        response.beforeCommit(() -> Mono.fromRunnable(() -> answers.count(status(response))));
        return rest.doOnCancel(() -> answers.count(LEFT));
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? OK : status.value();
    }

    private Mono<Void> slot(Duration wait) {
        return Mono.create(sink -> {
            Clock.Alarm alarm = clock.at(clock.nanoTime() + wait.toNanos(), sink::success);
            sink.onDispose(alarm::cancel);
        });
    }
}
