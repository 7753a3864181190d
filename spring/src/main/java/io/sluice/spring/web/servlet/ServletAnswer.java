package io.sluice.spring.web.servlet;

import io.sluice.spring.web.WebAnswer;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.Charset;

/** Sends responses. */
final class ServletAnswer {

    private ServletAnswer() {}

    /** Sends a response. Returns false if another response was already committed. */
    static boolean send(WebAnswer answer, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) {
            return false;
        }
        response.resetBuffer();
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        write(answer, response);
        response.flushBuffer();
        return true;
    }

    /** Writes the body. If the writer is already in use, the writer and its charset are fixed for the whole response. */
    private static void write(WebAnswer answer, HttpServletResponse response) throws IOException {
        ServletOutputStream out;
        try {
            out = response.getOutputStream();
        } catch (IllegalStateException writerInUse) {
            response.setContentLength(answer.body().getBytes(Charset.forName(response.getCharacterEncoding())).length);
            response.getWriter().write(answer.body());
            return;
        }
        byte[] body = answer.bytes();
        response.setContentLength(body.length);
        out.write(body);
    }
}
