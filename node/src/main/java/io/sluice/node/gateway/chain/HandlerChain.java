package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.config.HeaderRules;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.exchange.OwnAnswer;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The users' handlers by phase and order. Immutable; each walk belongs to one event loop. */
final class HandlerChain {

    private static final String ANSWER_TYPE = "text/plain; charset=utf-8";

    /** The groups of each phase, in order. The handlers of a group start together. */
    private final Map<Phase, List<List<GatewayHandler>>> phases = new EnumMap<>(Phase.class);

    private final Vertx vertx;
    private final FailureLog failures;

    HandlerChain(List<GatewayHandler> handlers, Vertx vertx, FailureLog failures) {
        this.vertx = vertx;
        this.failures = failures;
        for (Phase phase : Phase.values()) {
            phases.put(
                    phase,
                    groups(handlers.stream()
                            .filter(handler -> handler.phase() == phase)
                            .sorted(Comparator.comparingInt(GatewayHandler::order))
                            .toList()));
        }
    }

    private static List<List<GatewayHandler>> groups(List<GatewayHandler> ordered) {
        List<List<GatewayHandler>> groups = new ArrayList<>();
        List<GatewayHandler> beside = new ArrayList<>();
        for (GatewayHandler handler : ordered) {
            if (!handler.parallel() && !beside.isEmpty()) {
                groups.add(List.copyOf(beside));
                beside.clear();
            }
            if (handler.parallel()) {
                beside.add(handler);
            } else {
                groups.add(List.of(handler));
            }
        }
        if (!beside.isEmpty()) {
            groups.add(List.copyOf(beside));
        }
        return List.copyOf(groups);
    }

    /** Runs a phase and continues with {@code then}, unless a handler answers or fails, or the caller disconnects. */
    void walk(Phase phase, ChainRun run, Runnable then) {
        List<List<GatewayHandler>> groups = phases.getOrDefault(phase, List.of());
        if (groups.isEmpty()) {
            then.run();
        } else {
            new Walk(groups, run, then).go();
        }
    }

    private final class Walk {

        private final List<List<GatewayHandler>> groups;
        private final ChainRun run;
        private final Runnable then;
        private int next;

        /** The first refusal that is kept until the end of the phase. */
        private Verdict.@Nullable Answer kept;

        Walk(List<List<GatewayHandler>> groups, ChainRun run, Runnable then) {
            this.groups = groups;
            this.run = run;
            this.then = then;
        }

        void go() {
            boolean more = true;
            while (more && run.exchange().isOpen()) {
                if (next == groups.size()) {
                    end();
                    return;
                }
                more = new Round(this, groups.get(next++)).start();
            }
        }

        private void end() {
            if (kept != null) {
                answer(kept);
            } else {
                then.run();
            }
        }

        void answer(Verdict.Answer answer) {
            GatewayExchange exchange = run.exchange();
            try {
                answer.headers().forEach((name, value) -> exchange.answerHeaders()
                        .set(HeaderRules.requireName(name), HeaderRules.requireValue(value)));
            } catch (IllegalArgumentException e) {
                failures.failed(run, "sending a handler's answer", e);
                return;
            }
            String type = exchange.answerHeaders().get("Content-Type");
            OwnAnswer.send(exchange, answer.status(), type == null ? ANSWER_TYPE : type, answer.body());
        }
    }

    /** Handlers that run in parallel. */
    private final class Round {

        private final Walk walk;
        private final List<GatewayHandler> handlers;
        private final Verdict.@Nullable Answer[] slow;
        private int open;
        private boolean over;
        private boolean starting = true;
        private long timer = -1;

        Round(Walk walk, List<GatewayHandler> handlers) {
            this.walk = walk;
            this.handlers = handlers;
            this.slow = new Verdict.@Nullable Answer[handlers.size()];
            this.open = handlers.size();
        }

        /** Returns true if all handlers have completed already and none has answered. */
        boolean start() {
            List<CompletionStage<Verdict>> stages = new ArrayList<>(handlers.size());
            handlers.forEach(handler -> stages.add(started(handler)));
            for (int i = 0; i < handlers.size(); i++) {
                int at = i;
                walk.run.await(stages.get(i), (verdict, failure) -> heard(at, verdict, failure));
            }
            starting = false;
            if (open > 0 && !over) {
                waitNoLongerThan(walk.run.exchange().route().requestTimeout().toMillis());
            }
            return open == 0 && !over;
        }

        @SuppressWarnings("NullAway") // a user's handler may violate the contract
        private CompletionStage<Verdict> started(GatewayHandler handler) {
            try {
                CompletionStage<Verdict> stage = handler.handle(walk.run.call());
                return stage == null ? CompletableFuture.failedFuture(new NullPointerException("no stage")) : stage;
            } catch (Throwable e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private void heard(int at, @Nullable Verdict verdict, @Nullable Throwable failure) {
            if (over || !walk.run.exchange().isOpen()) {
                finish();
                return;
            }
            open--;
            GatewayHandler handler = handlers.get(at);
            if (failure != null || verdict == null) {
                finish();
                failures.failed(walk.run, "handler " + handler.name(), failure);
            } else if (verdict instanceof Verdict.Answer answer && handler.failFast()) {
                finish();
                walk.answer(answer);
            } else {
                slow[at] = verdict instanceof Verdict.Answer answer ? answer : null;
                if (open == 0) {
                    through();
                }
            }
        }

        private void through() {
            for (Verdict.Answer answer : slow) {
                if (walk.kept == null) {
                    walk.kept = answer;
                }
            }
            if (!starting) {
                finish();
                walk.go();
            }
        }

        private void finish() {
            over = true;
            if (timer >= 0) {
                vertx.cancelTimer(timer);
                timer = -1;
            }
        }

        private void waitNoLongerThan(long millis) {
            timer = vertx.setTimer(Math.max(1, millis), fired -> {
                over = true;
                timer = -1;
                GatewayProblem.answer(
                        walk.run.exchange(), 504, "the gateway took too long (expected: try again later)");
            });
            walk.run.exchange().whenOver(this::finish);
        }
    }
}
