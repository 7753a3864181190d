package io.sluice.replay.imports;

import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.gateway.ApisixImporter;
import io.sluice.replay.imports.gateway.EnvoyImporter;
import io.sluice.replay.imports.gateway.KongImporter;
import io.sluice.replay.imports.nginx.NginxImporter;
import io.sluice.replay.imports.sentinel.SentinelImporter;
import io.sluice.replay.imports.spring.Bucket4jImporter;
import io.sluice.replay.imports.spring.GatewayImporter;
import io.sluice.replay.imports.spring.Resilience4jImporter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The limiters whose configurations can be imported. */
public enum ImportKind {
    SENTINEL(new SentinelImporter()),
    SPRING_CLOUD_GATEWAY(new GatewayImporter()),
    BUCKET4J(new Bucket4jImporter()),
    RESILIENCE4J(new Resilience4jImporter()),
    NGINX(new NginxImporter()),
    KONG(new KongImporter()),
    APISIX(new ApisixImporter()),
    ENVOY(new EnvoyImporter());

    @SuppressWarnings("ImmutableEnumChecker") // importers are stateless
    private final Importer importer;

    ImportKind(Importer importer) {
        this.importer = importer;
    }

    public Importer importer() {
        return importer;
    }

    /** Returns its name on the command line, such as {@code spring-cloud-gateway}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the kind that a word names. */
    public static Optional<ImportKind> of(String word) {
        return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }

    /** Returns all words, in their order. */
    public static List<String> words() {
        return Arrays.stream(values()).map(ImportKind::word).toList();
    }
}
