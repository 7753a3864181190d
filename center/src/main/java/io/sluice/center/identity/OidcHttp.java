package io.sluice.center.identity;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** Requests to identity servers. They follow no redirects and end soon. Thread-safe. */
final class OidcHttp {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration READ = Duration.ofSeconds(30);

    private final JdkClientHttpRequestFactory requests;

    /**
     * Creates requests.
     *
     * @param trust whom to trust; empty for the authorities that Java trusts
     */
    OidcHttp(Optional<SSLContext> trust) {
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT);
        trust.ifPresent(client::sslContext);
        requests = new JdkClientHttpRequestFactory(client.build());
        requests.setReadTimeout(READ);
    }

    /** Returns a client for documents and keys. */
    RestTemplate documents() {
        return new RestTemplate(requests);
    }

    /** Returns a client that changes codes into tokens. */
    RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient client = new RestClientAuthorizationCodeTokenResponseClient();
        client.setRestClient(RestClient.builder()
                .requestFactory(requests)
                .configureMessageConverters(converters -> converters
                        .addCustomConverter(new FormHttpMessageConverter())
                        .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build());
        return client;
    }

    /** Returns a client for what a server tells about a person. */
    OidcUserService users() {
        RestTemplate rest = new RestTemplate(requests);
        rest.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService plain = new DefaultOAuth2UserService();
        plain.setRestOperations(rest);
        OidcUserService users = new OidcUserService();
        users.setOauth2UserService(plain);
        return users;
    }
}
