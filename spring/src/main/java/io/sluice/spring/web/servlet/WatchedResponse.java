package io.sluice.spring.web.servlet;

import io.sluice.spring.web.AnswerSettlement;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A response whose body is read by an {@link AnswerSettlement} while the application writes it. */
final class WatchedResponse extends ObservedResponse {

    private final AnswerSettlement settlement;

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
    ServletOutputStream observed(ServletOutputStream inner) {
        return new WatchedStream(inner);
    }

    @Override
    PrintWriter observed(PrintWriter inner) {
        return new WatchedWriter(inner);
    }

    private final class WatchedStream extends ObservedStream {

        WatchedStream(ServletOutputStream inner) {
            super(inner);
        }

        @Override
        void writing(byte[] bytes, int offset, int count) {
            if (settlement.wantsBody()) {
                seen(offset == 0 && count == bytes.length ? bytes : Arrays.copyOfRange(bytes, offset, offset + count));
            }
        }

        @Override
        void committing() {}
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

        /** A {@link PrintWriter} writes the ends of lines past its other methods. Events end with an empty line. */
        @Override
        public void println() {
            write(System.lineSeparator());
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
