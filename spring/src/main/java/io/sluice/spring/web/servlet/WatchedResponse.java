package io.sluice.spring.web.servlet;

import io.sluice.spring.web.AnswerSettlement;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A response whose body is read by an {@link AnswerSettlement} while the application writes it. */
final class WatchedResponse extends HttpServletResponseWrapper {

    private final AnswerSettlement settlement;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    WatchedResponse(HttpServletResponse response, AnswerSettlement settlement) {
        super(response);
        this.settlement = settlement;
    }

    /** Settles by what was written. */
    void end(boolean complete, int status) {
        settlement.end(complete, status, this::values);
    }

    private List<String> values(String name) {
        // Containers treat the content type apart from the other headers.
        String type = name.equals("content-type") ? getContentType() : null;
        return type == null ? List.copyOf(getHeaders(name)) : List.of(type);
    }

    private void seen(byte[] bytes) {
        settlement.piece(bytes, this::values);
    }

    private void seen(String text) {
        // The structure of JSON and its numbers are ASCII, whatever the charset of the response.
        settlement.piece(text.getBytes(StandardCharsets.UTF_8), this::values);
    }

    @Override
    public void reset() {
        super.reset();
        settlement.restart();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        settlement.restart();
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream known = stream;
        if (known == null) {
            known = new WatchedStream(super.getOutputStream());
            stream = known;
        }
        return known;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter known = writer;
        if (known == null) {
            known = new WatchedWriter(super.getWriter());
            writer = known;
        }
        return known;
    }

    private final class WatchedStream extends ServletOutputStream {

        private final ServletOutputStream inner;

        WatchedStream(ServletOutputStream inner) {
            this.inner = inner;
        }

        @Override
        public void write(int octet) throws IOException {
            if (settlement.wantsBody()) {
                seen(new byte[] {(byte) octet});
            }
            inner.write(octet);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            if (settlement.wantsBody()) {
                seen(offset == 0 && count == bytes.length ? bytes : Arrays.copyOfRange(bytes, offset, offset + count));
            }
            inner.write(bytes, offset, count);
        }

        @Override
        public void flush() throws IOException {
            inner.flush();
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }

        @Override
        public boolean isReady() {
            return inner.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            inner.setWriteListener(listener);
        }
    }

    /** Writes to a {@link PrintWriter}, so that {@code checkError} reports the errors of the connection. */
    private final class WatchedWriter extends PrintWriter {

        WatchedWriter(PrintWriter inner) {
            super(inner);
        }

        @Override
        public void write(int character) {
            if (settlement.wantsBody()) {
                seen(String.valueOf((char) character));
            }
            super.write(character);
        }

        @Override
        public void write(char[] characters, int offset, int count) {
            if (settlement.wantsBody()) {
                seen(new String(characters, offset, count));
            }
            super.write(characters, offset, count);
        }

        @Override
        public void write(String text, int offset, int count) {
            if (settlement.wantsBody()) {
                seen(text.substring(offset, offset + count));
            }
            super.write(text, offset, count);
        }
    }
}
