package io.sluice.spring.web.servlet;

import io.sluice.spring.web.WebAnswer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Sends answers of ours. */
final class ServletAnswer {

    private ServletAnswer() {}

    /** Answers; whether that was still possible. */
    static boolean send(WebAnswer answer, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) {
            return false;
        }
        response.resetBuffer();
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        byte[] body = answer.bytes();
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
        return true;
    }
}
