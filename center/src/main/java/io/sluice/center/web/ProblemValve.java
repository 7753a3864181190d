package io.sluice.center.web;

import io.sluice.center.http.Problem;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/** Answers requests that the server itself refuses, such as requests with a malformed address, in the form of all other problems. */
public final class ProblemValve extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, Throwable failure) {
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        try {
            Problem.write(
                    response.getResponse(), status, "The request was refused", "the server cannot read this request");
            response.finishResponse();
        } catch (IOException | IllegalStateException e) {
            // The connection has been closed.
        }
    }
}
