package io.sluice.spring.web.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** A response whose body passes through a stream or a writer of our own. */
abstract class ObservedResponse extends HttpServletResponseWrapper {

    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    ObservedResponse(HttpServletResponse response) {
        super(response);
    }

    /** Returns the stream that the application gets; called once. */
    abstract ServletOutputStream observed(ServletOutputStream inner);

    /** Returns the writer that the application gets; called once. */
    abstract PrintWriter observed(PrintWriter inner);

    @Override
    public final ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream known = stream;
        if (known == null) {
            known = observed(super.getOutputStream());
            stream = known;
        }
        return known;
    }

    @Override
    public final PrintWriter getWriter() throws IOException {
        PrintWriter known = writer;
        if (known == null) {
            known = observed(super.getWriter());
            writer = known;
        }
        return known;
    }

    /** A stream that tells what it is about to do before it does it. */
    abstract static class ObservedStream extends ServletOutputStream {

        private final ServletOutputStream inner;

        ObservedStream(ServletOutputStream inner) {
            this.inner = inner;
        }

        /** Called before bytes are written. */
        abstract void writing(byte[] bytes, int offset, int count);

        /** Called before the stream is flushed or closed. */
        abstract void committing();

        @Override
        public final void write(int octet) throws IOException {
            writing(new byte[] {(byte) octet}, 0, 1);
            inner.write(octet);
        }

        @Override
        public final void write(byte[] bytes, int offset, int count) throws IOException {
            writing(bytes, offset, count);
            inner.write(bytes, offset, count);
        }

        @Override
        public final void flush() throws IOException {
            committing();
            inner.flush();
        }

        @Override
        public final void close() throws IOException {
            committing();
            inner.close();
        }

        @Override
        public final boolean isReady() {
            return inner.isReady();
        }

        @Override
        public final void setWriteListener(WriteListener listener) {
            inner.setWriteListener(listener);
        }
    }
}
