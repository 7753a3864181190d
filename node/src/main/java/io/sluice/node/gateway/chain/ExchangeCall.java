package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.config.HeaderRules;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.rules.pattern.Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A handler's view of an exchange. */
final class ExchangeCall implements GatewayCall {

    private final GatewayExchange exchange;

    private OptionalInt status = OptionalInt.empty();

    ExchangeCall(GatewayExchange exchange) {
        this.exchange = exchange;
    }

    void answered(int code) {
        status = OptionalInt.of(code);
    }

    @Override
    public String id() {
        return exchange.parsed().id();
    }

    @Override
    public String method() {
        return exchange.parsed().method();
    }

    @Override
    public String host() {
        return exchange.parsed().host();
    }

    @Override
    public String path() {
        return exchange.parsed().path();
    }

    @Override
    public String target() {
        return exchange.parsed().target().text();
    }

    @Override
    public Optional<String> service() {
        return exchange.route().service();
    }

    @Override
    public Optional<String> ip() {
        return Optional.ofNullable(exchange.parsed().caller()).map(Address::toString);
    }

    @Override
    public List<String> headers(String name) {
        return List.copyOf(exchange.request().headers().getAll(name));
    }

    @Override
    public Map<String, String> identity() {
        return exchange.identity().attributes();
    }

    @Override
    public void attribute(String name, String value) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("attribute: empty (expected: a name)");
        }
        exchange.attribute(name, value);
    }

    @Override
    public void forwardHeader(String name, String value) {
        exchange.forwardHeaders().set(HeaderRules.requireName(name), HeaderRules.requireValue(value));
    }

    @Override
    public void answerHeader(String name, String value) {
        exchange.answerHeaders().set(HeaderRules.requireName(name), HeaderRules.requireValue(value));
    }

    @Override
    public OptionalInt status() {
        return status;
    }
}
