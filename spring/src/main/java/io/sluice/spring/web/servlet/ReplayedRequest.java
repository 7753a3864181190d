package io.sluice.spring.web.servlet;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body has been read in part. The application can still read the whole body, as a stream, through a reader, or as form
 * parameters. The parameters are parsed here, because the container has no body left to parse.
 */
final class ReplayedRequest extends HttpServletRequestWrapper {

    private final HttpServletRequest inner;
    private final ReplayedStream body;
    private final boolean form;
    private @Nullable BufferedReader reader;
    private boolean streamed;
    private @Nullable Map<String, String[]> parameters;

    ReplayedRequest(HttpServletRequest inner, BodyHead head, boolean form) throws IOException {
        super(inner);
        this.inner = inner;
        this.body = new ReplayedStream(inner, head);
        this.form = form;
    }

    @Override
    public ServletInputStream getInputStream() {
        if (reader != null) {
            throw new IllegalStateException("body: taken by getReader (expected: one of getReader and getInputStream)");
        }
        streamed = true;
        return body;
    }

    @Override
    public BufferedReader getReader() {
        BufferedReader existing = reader;
        if (existing == null) {
            if (streamed) {
                throw new IllegalStateException(
                        "body: taken by getInputStream (expected: one of getReader and getInputStream)");
            }
            existing = new BufferedReader(new InputStreamReader(body, charset(StandardCharsets.ISO_8859_1)));
            reader = existing;
        }
        return existing;
    }

    @Override
    @SuppressWarnings("NullAway") // the servlet API says null
    public String getParameter(String name) {
        String[] values = all().get(name);
        return values == null || values.length == 0 ? null : values[0];
    }

    @Override
    @SuppressWarnings("NullAway") // the servlet API says null
    public String[] getParameterValues(String name) {
        String[] values = all().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(all().keySet());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return all();
    }

    /**
     * Returns the parameters as containers do: first the parameters of the query, then the parameters of the form, unless the application
     * reads the body.
     */
    private Map<String, String[]> all() {
        if (!form || streamed || reader != null) {
            return parameters == null ? inner.getParameterMap() : parameters;
        }
        if (parameters == null) {
            try {
                parameters = FormParameters.joined(
                        inner.getParameterMap(), FormParameters.read(body, charset(StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return parameters;
    }

    private Charset charset(Charset otherwise) {
        String name = inner.getCharacterEncoding();
        return name == null ? otherwise : Charset.forName(name);
    }
}
