package io.sluice.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.TreeMap;

/** A server that answers with the received request, for trying out a gateway. */
public final class SampleUpstream implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    private final HttpServer server;

    private SampleUpstream(HttpServer server) {
        this.server = server;
    }

    /** Starts to listen on a free port of the loopback interface. */
    public static Future<SampleUpstream> listen(Vertx vertx) {
        return vertx.createHttpServer()
                .requestHandler(SampleUpstream::answer)
                .listen(0, LOOPBACK)
                .map(SampleUpstream::new);
    }

    /** Returns the address of the server, {@code http://host:port}. */
    public String origin() {
        return "http://" + LOOPBACK + ":" + server.actualPort();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Reads the body without using it, so that the connection can be reused. */
    private static void answer(HttpServerRequest request) {
        request.handler(piece -> {});
        request.endHandler(end -> {
            TreeMap<String, Object> headers = new TreeMap<>();
            request.headers().forEach(header -> headers.put(header.getKey(), header.getValue()));
            String body = new JsonObject()
                    .put("answer", "from the sample service")
                    .put("method", request.method().name())
                    .put("target", request.uri())
                    .put("headers", headers)
                    .encodePrettily();
            request.response().putHeader("content-type", "application/json").end(body + "\n");
        });
    }
}
