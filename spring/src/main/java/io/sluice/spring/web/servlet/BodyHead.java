package io.sluice.spring.web.servlet;

import io.sluice.core.time.Clock;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.spring.web.BodyBuffer;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.Forms;
import io.sluice.spring.web.WebLimits;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a body: the whole body, unless it is larger than the part that rules read. Immutable, as long as callers do not modify
 * its arrays.
 */
final class BodyHead {

    private static final long MAY_TAKE_NANOS = 10_000_000_000L;

    private final byte[] bytes;
    private final byte[] fields;
    private final boolean whole;

    private BodyHead(byte[] bytes, byte[] fields, boolean whole) {
        this.bytes = bytes;
        this.fields = fields;
        this.whole = whole;
    }

    /** Returns the bytes that were read from the stream. The application reads them first. */
    byte[] bytes() {
        return bytes;
    }

    /**
     * Returns the bytes that rules read fields from. If an earlier filter has already parsed the form, they are its encoded
     * fields.
     */
    byte[] fields() {
        return fields;
    }

    /** Returns whether this is the whole body. */
    boolean isWhole() {
        return whole;
    }

    /** Reads on the request's thread and blocks it. Returns null if no rule needs the body. */
    static @Nullable BodyHead read(
            WebLimits.Asked asked, HttpServletRequest request, Clock clock, BodyMemory memory, ServletHold hold)
            throws IOException, RefusedRequestException {
        if (!asked.wantsBody()) {
            return null;
        }
        BodyBuffer buffer = new BodyBuffer(memory, request.getContentLengthLong());
        hold.whenOver(buffer::close);
        long start = clock.nanoTime();
        InputStream in = request.getInputStream();
        boolean whole = false;
        while (!whole && !buffer.isFull()) {
            buffer.makeRoom(1);
            int count = in.read(buffer.array(), buffer.size(), buffer.array().length - buffer.size());
            whole = count < 0;
            buffer.advance(Math.max(0, count));
            if (clock.nanoTime() - start > MAY_TAKE_NANOS) {
                throw new RefusedRequestException(408, "body: too slow (expected: its fields within 10 s)");
            }
        }
        buffer.trim();
        byte[] read = buffer.array();
        boolean taken = read.length == 0 && Forms.isForm(asked.request().header("content-type"));
        return new BodyHead(read, taken ? parameters(request) : read, whole);
    }

    /**
     * Returns the form from the parameters. An earlier filter asked for them, so that filter or the container has already read the form.
     */
    private static byte[] parameters(HttpServletRequest request) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        request.getParameterMap().forEach((name, values) -> fields.put(name, List.of(values)));
        return Forms.written(fields);
    }
}
