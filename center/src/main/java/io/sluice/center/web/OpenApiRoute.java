package io.sluice.center.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The description of the API. It needs no token. */
@RestController
final class OpenApiRoute {

    private final byte[] document;

    OpenApiRoute() {
        try (InputStream in =
                Objects.requireNonNull(OpenApiRoute.class.getResourceAsStream("/io/sluice/center/web/openapi.json"))) {
            this.document = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @GetMapping(path = "/api/openapi.json", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] document() {
        return document.clone();
    }
}
