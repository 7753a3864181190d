package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Configurations from text, as the node reads them from files. */
public final class Configs {

    private static final List<String> SECTIONS = List.of("client", "gateway", "auth", "services", "routes");
    private static final List<String> CLIENT = List.of("trusted_proxies", "headers");

    private Configs() {}

    public static GatewayConfig good(String text) {
        Errors errors = new Errors("c.yaml");
        Optional<GatewayConfig> config = read(Path.of("c.yaml"), text, errors);
        assertThat(errors.list()).isEmpty();
        return config.orElseThrow();
    }

    public static List<String> errors(Path file, String text) {
        Errors errors = new Errors(String.valueOf(file.getFileName()));
        read(file, text, errors);
        return errors.list().stream().map(DocumentError::toString).toList();
    }

    public static Optional<GatewayConfig> read(Path file, String text, Errors errors) {
        return YamlReader.read("c.yaml", text, errors)
                .flatMap(root -> Fields.of("config", root, SECTIONS, errors))
                .flatMap(root -> GatewayConfig.read(file, root, root.fields("client", CLIENT), errors));
    }
}
