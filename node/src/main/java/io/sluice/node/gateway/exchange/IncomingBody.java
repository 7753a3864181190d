package io.sluice.node.gateway.exchange;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A request whose body may have been read in part, to look for fields that rules name. Paused from the beginning; who sends it on
 * writes what was {@linkplain #kept() kept} first and resumes it. For its event loop alone.
 */
public final class IncomingBody {

    private final HttpServerRequest request;
    private final List<Buffer> kept = new ArrayList<>();
    private boolean whole;
    private boolean continued;

    public IncomingBody(HttpServerRequest request) {
        this.request = request.pause();
    }

    public HttpServerRequest request() {
        return request;
    }

    /** Keeps a piece of the body, in order. */
    public void keep(Buffer piece) {
        kept.add(piece);
    }

    /** The body has been read to its end: nothing follows what is kept. */
    public void readWhole() {
        whole = true;
    }

    public boolean isReadWhole() {
        return whole;
    }

    /** The caller, who asked first, was told to send the body. */
    public void continued() {
        continued = true;
    }

    public boolean isContinued() {
        return continued;
    }

    /** What was read of the body, in order. */
    public List<Buffer> kept() {
        return Collections.unmodifiableList(kept);
    }
}
