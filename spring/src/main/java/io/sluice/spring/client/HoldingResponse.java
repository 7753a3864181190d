package io.sluice.spring.client;

import io.sluice.spring.internal.PermitScope;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response that holds permits until it is closed or its body is read to the end. */
final class HoldingResponse implements ClientHttpResponse {

    private final ClientHttpResponse response;
    private final PermitScope permits;

    HoldingResponse(ClientHttpResponse response, PermitScope permits) {
        this.response = response;
        this.permits = permits;
    }

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return response.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return response.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return response.getHeaders();
    }

    @Override
    public InputStream getBody() throws IOException {
        return new HoldingBody(response.getBody(), this);
    }

    @Override
    public void close() {
        try {
            response.close();
        } finally {
            permits.close();
        }
    }

    /** Refers to the response, so that the permits are held as long as the stream is reachable. */
    private static final class HoldingBody extends FilterInputStream {

        private final HoldingResponse of;

        HoldingBody(InputStream body, HoldingResponse of) {
            super(body);
            this.of = of;
        }

        @Override
        public int read() throws IOException {
            return ended(in.read());
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            return ended(in.read(buffer, offset, length));
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                of.permits.close();
            }
        }

        private int ended(int read) {
            if (read < 0) {
                of.permits.close();
            }
            return read;
        }
    }
}
