package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.auth.Authentication;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.route.Access;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Authenticates the caller, if the route requires or allows it. */
final class AuthStep {

    private final FailureLog failures;

    AuthStep(FailureLog failures) {
        this.failures = failures;
    }

    /** Continues with {@code then} if the caller is verified, or anonymous on a route that allows it. */
    void authenticate(ChainRun run, Runnable then) {
        if (run.exchange().route().access() == Access.OPEN) {
            then.run();
            return;
        }
        run.await(
                run.state().auth().authenticate(run.exchange().request()),
                (said, failure) -> heard(run, said, failure, then));
    }

    private void heard(ChainRun run, @Nullable Authentication said, @Nullable Throwable failure, Runnable then) {
        GatewayExchange exchange = run.exchange();
        if (!exchange.isOpen()) {
            return;
        }
        if (said instanceof Authentication.Verified verified) {
            exchange.identified(verified.who());
            run.state().auth().withheld().forEach(exchange::withhold);
            then.run();
        } else if (said instanceof Authentication.Nothing) {
            if (exchange.route().access() == Access.OPTIONAL) {
                then.run();
            } else {
                refuse(
                        exchange,
                        401,
                        "credentials: none (expected: a token or a key)",
                        run.state().auth().challenge());
            }
        } else if (said instanceof Authentication.Refused refused) {
            refuse(exchange, refused.status(), refused.detail(), refused.challenge());
        } else {
            failures.failed(run, "authentication", failure);
        }
    }

    private static void refuse(GatewayExchange exchange, int status, String detail, Optional<String> challenge) {
        challenge.ifPresent(text -> exchange.answerHeaders().set("WWW-Authenticate", text));
        GatewayProblem.answer(exchange, status, detail);
    }
}
