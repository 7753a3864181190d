package io.sluice.node.config;

import io.sluice.rules.yaml.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What the section {@code center} says to a center. Its other keys are for nodes. Immutable. */
public record CenterSection(
        Optional<Integer> port,
        Optional<String> bind,
        Optional<String> db,
        Optional<Path> adminTokenFile,
        Optional<String> publicUrl) {

    static final List<String> KEYS =
            List.of("url", "token_file", "port", "bind", "db", "admin_token_file", "public_url");

    static final CenterSection NONE =
            new CenterSection(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final int HIGHEST_PORT = 65_535;

    static CenterSection of(Fields fields, Function<String, Path> beside) {
        return new CenterSection(
                fields.whole("port", 0, HIGHEST_PORT).map(Long::intValue),
                fields.text("bind"),
                fields.text("db"),
                fields.text("admin_token_file").map(beside),
                fields.text("public_url"));
    }
}
