package io.sluice.examples.outbound;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Contains no rate limiting code. The limits in {@code sluice.outbound} apply to every client that is built with Spring
 * Boot's builder.
 */
@Component
class Forecasts {

    private final RestClient client;

    Forecasts(RestClient.Builder builder, @Value("${forecasts.url}") String url) {
        this.client = builder.baseUrl(url).build();
    }

    String of(String city) {
        return client.get().uri("/forecast/{city}", city).retrieve().body(String.class);
    }
}
