package io.sluice.node.gateway;

import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.rules.Address;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** An exchange as handlers see it. */
final class ExchangeCall implements GatewayCall {

    /** They say where messages begin and end, and where they go: whoever could set them could slip a second request past all limits. */
    private static final Set<String> OURS = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "upgrade",
            "te",
            "trailer",
            "expect",
            "proxy-connection");

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
        exchange.forwardHeaders().set(requireName(name), requireValue(value));
    }

    @Override
    public void answerHeader(String name, String value) {
        exchange.answerHeaders().set(requireName(name), requireValue(value));
    }

    @Override
    public OptionalInt status() {
        return status;
    }

    static String requireName(String name) {
        boolean token = !name.isEmpty();
        for (int i = 0; i < name.length() && token; i++) {
            char c = name.charAt(i);
            token = c > ' ' && c < 0x7f && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
        }
        if (!token || OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("header: " + (token ? name : "not a name")
                    + " (expected: one that does not say where messages begin and end)");
        }
        return name;
    }

    static String requireValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
                throw new IllegalArgumentException(
                        "header value: a character that may not stand there (expected: ASCII)");
            }
        }
        return value;
    }
}
