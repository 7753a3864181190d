package io.sluice.spring.web.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/**
 * A body whose beginning has been read: provides first that part, then the rest from the container. Not thread-safe, like any
 * servlet stream.
 */
final class ReplayedStream extends ServletInputStream {

    private final HttpServletRequest request;
    private final ServletInputStream rest;
    private final boolean whole;
    private byte[] head;
    private int at;

    ReplayedStream(HttpServletRequest request, BodyHead head) throws IOException {
        this.request = request;
        this.rest = request.getInputStream();
        this.whole = head.isWhole();
        this.head = head.bytes();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int count = read(one, 0, 1);
        return count < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (at < head.length) {
            int count = Math.min(length, head.length - at);
            System.arraycopy(head, at, into, offset, count);
            at += count;
            if (at == head.length) {
                head = new byte[0];
                at = 0;
            }
            return count;
        }
        return whole ? -1 : rest.read(into, offset, length);
    }

    @Override
    public int available() throws IOException {
        return at < head.length ? head.length - at : whole ? 0 : rest.available();
    }

    @Override
    public boolean isFinished() {
        return at == head.length && (whole || rest.isFinished());
    }

    @Override
    public boolean isReady() {
        return at < head.length || whole || rest.isReady();
    }

    /**
     * Sets the listener. If the body is complete, the container would never call it; it is then called here, on one of the
     * container's threads.
     */
    @Override
    public void setReadListener(ReadListener listener) {
        if (!whole) {
            rest.setReadListener(listener);
            return;
        }
        if (!request.isAsyncStarted()) {
            throw new IllegalStateException("readListener: set too early (expected: after startAsync)");
        }
        request.getAsyncContext().start(() -> tell(listener));
    }

    private void tell(ReadListener listener) {
        try {
            int before = -1;
            while (at < head.length && before != at) {
                before = at;
                listener.onDataAvailable();
            }
            listener.onAllDataRead();
        } catch (IOException | RuntimeException e) {
            listener.onError(e);
        }
    }
}
