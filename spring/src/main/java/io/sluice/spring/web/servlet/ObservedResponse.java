package io.sluice.spring.web.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.CharBuffer;
import org.jspecify.annotations.Nullable;

/** A response that observes each piece of its body before it is written by a stream or by a writer. */
abstract class ObservedResponse extends HttpServletResponseWrapper {

    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    ObservedResponse(HttpServletResponse response) {
        super(response);
    }

    /** Called before the application's bytes are written. */
    abstract void writing(byte[] bytes, int offset, int count);

    /** Called before the application's text is written. */
    abstract void writing(CharSequence text);

    /** Called before the body is flushed or closed. */
    void committing() {}

    @Override
    public final ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream known = stream;
        if (known == null) {
            known = new ObservedStream(super.getOutputStream());
            stream = known;
        }
        return known;
    }

    @Override
    public final PrintWriter getWriter() throws IOException {
        PrintWriter known = writer;
        if (known == null) {
            known = new ObservedWriter(super.getWriter());
            writer = known;
        }
        return known;
    }

    private final class ObservedStream extends ServletOutputStream {

        private final ServletOutputStream inner;

        ObservedStream(ServletOutputStream inner) {
            this.inner = inner;
        }

        @Override
        public void write(int octet) throws IOException {
            writing(new byte[] {(byte) octet}, 0, 1);
            inner.write(octet);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            writing(bytes, offset, count);
            inner.write(bytes, offset, count);
        }

        @Override
        public void flush() throws IOException {
            committing();
            inner.flush();
        }

        @Override
        public void close() throws IOException {
            committing();
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
    private final class ObservedWriter extends PrintWriter {

        ObservedWriter(PrintWriter inner) {
            super(inner);
        }

        @Override
        public void write(int character) {
            writing(String.valueOf((char) character));
            super.write(character);
        }

        @Override
        public void write(char[] characters, int offset, int count) {
            writing(CharBuffer.wrap(characters, offset, count));
            super.write(characters, offset, count);
        }

        @Override
        public void write(String text, int offset, int count) {
            writing(CharBuffer.wrap(text, offset, offset + count));
            super.write(text, offset, count);
        }

        /**
         * Observes a line end, because {@link PrintWriter} writes line ends without calling its other methods. Events end with
         * an empty line.
         */
        @Override
        public void println() {
            write(System.lineSeparator());
        }

        @Override
        public void flush() {
            committing();
            super.flush();
        }

        @Override
        public void close() {
            committing();
            super.close();
        }
    }
}
