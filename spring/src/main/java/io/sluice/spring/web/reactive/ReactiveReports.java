package io.sluice.spring.web.reactive;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.LimitReports;
import io.sluice.spring.web.WebAnswers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Reports the limits of methods in the headers of a response, just before it is sent, after the filters have set their headers.
 * Thread-safe.
 */
final class ReactiveReports implements LimitReports {

    private final ServerWebExchange exchange;
    private final WebAnswers answers;

    /** The latest ruling of each limit. */
    private final Map<String, Ruling.Settled> rulings = new LinkedHashMap<>();

    ReactiveReports(ServerWebExchange exchange, WebAnswers answers) {
        this.exchange = exchange;
        this.answers = answers;
    }

    @Override
    public synchronized void admitted(Ruling.Settled ruling) {
        Ruling.@Nullable Reported limit = ruling.reported();
        if (limit == null || exchange.getResponse().isCommitted()) {
            return;
        }
        if (rulings.isEmpty()) {
            exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(this::write));
        }
        rulings.put(limit.id(), ruling);
    }

    private void write() {
        if (!ReactiveAnswer.isOurs(exchange)) {
            HttpHeaders headers = exchange.getResponse().getHeaders();
            all().forEach(ruling -> answers.addAllowed(ruling, headers::getFirst, headers::set));
        }
    }

    private synchronized List<Ruling.Settled> all() {
        return List.copyOf(rulings.values());
    }
}
