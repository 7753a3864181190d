package io.sluice.spring.web.servlet;

import io.sluice.spring.web.AnswerCount;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * A response whose status is counted before the container can commit it: when it is flushed or closed, when it is an error or a
 * redirect, or when the buffer or the announced length is full. Until then the application may still change the status.
 */
final class CountedResponse extends ObservedResponse {

    private static final int FOUND = 302;

    /** The maximum number of bytes of a character in UTF-8; a pair of surrogates takes four. */
    private static final int BYTES_OF_CHAR = 3;

    private final AnswerCount answers;
    private long written;
    private long length = Long.MAX_VALUE;

    CountedResponse(HttpServletResponse response, AnswerCount answers) {
        super(response);
        this.answers = answers;
    }

    @Override
    void committing() {
        answers.count(getStatus());
    }

    @Override
    void writing(byte[] bytes, int offset, int count) {
        writing(count);
    }

    @Override
    void writing(CharSequence text) {
        writing((long) BYTES_OF_CHAR * text.length());
    }

    private void writing(long bytes) {
        written += bytes;
        if (written >= length || written >= getBufferSize()) {
            committing();
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        answers.count(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        answers.count(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        answers.count(FOUND);
        super.sendRedirect(location);
    }

    @Override
    public void flushBuffer() throws IOException {
        committing();
        super.flushBuffer();
    }

    @Override
    public void reset() {
        super.reset();
        written = 0;
        length = Long.MAX_VALUE;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        written = 0;
    }

    @Override
    public void setContentLength(int bytes) {
        length = bytes < 0 ? Long.MAX_VALUE : bytes;
        super.setContentLength(bytes);
    }

    @Override
    public void setContentLengthLong(long bytes) {
        length = bytes < 0 ? Long.MAX_VALUE : bytes;
        super.setContentLengthLong(bytes);
    }
}
