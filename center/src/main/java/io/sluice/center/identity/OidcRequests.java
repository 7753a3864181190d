package io.sluice.center.identity;

import io.sluice.center.remote.Conversation;
import io.sluice.center.remote.RemoteHttp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.AbstractClientHttpRequest;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The requests of one conversation with an identity server. Every answer must be a JSON object. Any other answer fails with a
 * sentence that names the address and describes the answer. For use by one thread.
 */
final class OidcRequests implements ClientHttpRequestFactory {

    /** An answer of 1 MB can have ten times as many values as any real answer, and each value takes memory. */
    private static final int MAX_TOKENS = 50_000;

    private static final int MAX_DEPTH = 50;
    private static final int LONGEST_ADDRESS = 200;

    /** The headers that the JDK's client sets itself. */
    private static final Set<String> OWN_HEADERS = Set.of("content-length", "host", "connection", "expect", "upgrade");

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxTokenCount(MAX_TOKENS)
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .build();

    private final RemoteHttp http;
    private final Conversation conversation;
    private String last = "nothing";

    OidcRequests(RemoteHttp http, Conversation conversation) {
        this.http = http;
        this.conversation = conversation;
    }

    /** Returns a sentence about the last answer that reveals nothing of its content. */
    String last() {
        return last;
    }

    /** Returns a published document of the server as text. */
    String document(URI address) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Accept", "application/json")
                .build();
        RemoteHttp.Answer answer = exchange(request);
        if (answer.status() != 200) {
            throw new UnusableAnswerException(answer.status(), last + " (expected: status 200)");
        }
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** Returns a published document of the server. */
    @SuppressWarnings("unchecked") // it is an object
    Map<String, Object> object(URI address) throws IOException {
        return JSON.readValue(document(address), Map.class);
    }

    private RemoteHttp.Answer exchange(HttpRequest request) throws IOException {
        String address = request.uri().toString();
        address = address.length() <= LONGEST_ADDRESS ? address : address.substring(0, LONGEST_ADDRESS) + "…";
        RemoteHttp.Answer answer;
        try {
            answer = http.send(request, conversation);
        } catch (IOException e) {
            throw new IOException(address + ": " + e.getMessage(), e);
        }
        String type = answer.headers().firstValue("Content-Type").orElse("no content type");
        last = address + " answered with status " + answer.status() + ", " + type + ", " + answer.body().length
                + " bytes";
        if (!isObject(answer.body())) {
            throw new UnusableAnswerException(answer.status(), last + " (expected: a JSON object)");
        }
        return answer;
    }

    private static boolean isObject(byte[] body) {
        try (JsonParser parser = JSON.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /** Returns a client that exchanges codes for tokens. */
    RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient client = new RestClientAuthorizationCodeTokenResponseClient();
        client.setRestClient(tokenRequests());
        return client;
    }

    /** Returns a client that exchanges refresh tokens for tokens. */
    RestClientRefreshTokenTokenResponseClient refreshes() {
        RestClientRefreshTokenTokenResponseClient client = new RestClientRefreshTokenTokenResponseClient();
        client.setRestClient(tokenRequests());
        return client;
    }

    private RestClient tokenRequests() {
        return RestClient.builder()
                .requestFactory(this)
                .configureMessageConverters(converters -> converters
                        .addCustomConverter(new FormHttpMessageConverter())
                        .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build();
    }

    /** Returns a client for the server's claims about a person. */
    OidcUserService users() {
        RestTemplate rest = new RestTemplate(this);
        rest.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService plain = new DefaultOAuth2UserService();
        plain.setRestOperations(rest);
        OidcUserService users = new OidcUserService();
        users.setOauth2UserService(plain);
        return users;
    }

    @Override
    public ClientHttpRequest createRequest(URI address, HttpMethod method) {
        return new Request(address, method);
    }

    private final class Request extends AbstractClientHttpRequest {

        private final URI address;
        private final HttpMethod method;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        Request(URI address, HttpMethod method) {
            this.address = address;
            this.method = method;
        }

        @Override
        public HttpMethod getMethod() {
            return method;
        }

        @Override
        public URI getURI() {
            return address;
        }

        @Override
        protected OutputStream getBodyInternal(HttpHeaders headers) {
            return body;
        }

        @Override
        protected ClientHttpResponse executeInternal(HttpHeaders headers) throws IOException {
            HttpRequest.Builder request = HttpRequest.newBuilder(address)
                    .method(method.name(), BodyPublishers.ofByteArray(body.toByteArray()));
            headers.forEach((name, values) -> {
                if (!OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            return new Response(exchange(request.build()));
        }
    }

    private record Response(RemoteHttp.Answer answer) implements ClientHttpResponse {

        @Override
        public HttpStatusCode getStatusCode() {
            return HttpStatusCode.valueOf(answer.status());
        }

        @Override
        public String getStatusText() {
            return "";
        }

        @Override
        public HttpHeaders getHeaders() {
            HttpHeaders headers = new HttpHeaders();
            answer.headers().map().forEach((name, values) -> headers.addAll(name, values));
            return headers;
        }

        @Override
        public InputStream getBody() {
            return new ByteArrayInputStream(answer.body());
        }

        @Override
        public void close() {
            // The answer is already complete.
        }
    }
}
