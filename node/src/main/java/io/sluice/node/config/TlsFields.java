package io.sluice.node.config;

import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.rules.yaml.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads a section {@code tls}. */
final class TlsFields {

    private TlsFields() {}

    static Optional<TlsSettings> read(Fields fields, Function<String, Path> beside) {
        for (String key : List.of("cert", "key")) {
            if (!fields.has(key)) {
                fields.error(key, key + ": missing (expected: a file in PEM)");
            }
        }
        Optional<Path> key = fields.text("key").map(beside);
        Optional<Path> clientCa = fields.text("client_ca").map(beside);
        return fields.text("cert").map(beside).flatMap(cert -> key.map(its -> new TlsSettings(cert, its, clientCa)));
    }
}
