package io.sluice.node.gateway.exchange;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A request whose body may have been read in part, to look for fields that rules name. It is paused from the start. The forwarder first
 * writes the {@linkplain #kept() kept} part and then resumes the request. Used only by its event loop.
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

    /** Keeps the next part of the body. */
    public void keep(Buffer piece) {
        kept.add(piece);
    }

    /** Marks the body as read completely; nothing follows the kept part. */
    public void readWhole() {
        whole = true;
    }

    public boolean isReadWhole() {
        return whole;
    }

    /** Records that the caller, who sent {@code Expect: 100-continue}, was asked to send the body. */
    public void continued() {
        continued = true;
    }

    public boolean isContinued() {
        return continued;
    }

    /** Returns the part of the body that was read, in order. */
    public List<Buffer> kept() {
        return Collections.unmodifiableList(kept);
    }
}
