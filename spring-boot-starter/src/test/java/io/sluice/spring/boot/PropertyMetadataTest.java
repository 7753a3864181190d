package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.boot.client.ClientLimitProperties;
import io.sluice.spring.boot.gateway.GatewayLimitProperties;
import io.sluice.spring.boot.method.AnnotationProperties;
import io.sluice.spring.boot.named.NamedRuleProperties;
import io.sluice.spring.boot.web.WebProperties;
import java.io.InputStream;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.json.JsonParserFactory;

class PropertyMetadataTest {

    private static final List<Class<?>> ALL = List.of(
            SluiceProperties.class,
            ClientLimitProperties.class,
            GatewayLimitProperties.class,
            WebProperties.class,
            AnnotationProperties.class,
            NamedRuleProperties.class);

    @Test
    void everyPropertyHasADescription() throws Exception {
        assertThat(described())
                .allSatisfy(
                        (name, description) -> assertThat(description).as(name).matches("(?s)[A-Z].*\\."));
    }

    @Test
    void noPropertyIsMissing() throws Exception {
        Set<String> expected = new TreeSet<>(Set.of("sluice.rules", "sluice.attributes"));
        for (Class<?> type : ALL) {
            add(type.getAnnotation(ConfigurationProperties.class).value(), type, expected);
        }
        assertThat(expected)
                .contains("sluice.outbound", "sluice.caller.headers", "sluice.gateway.on-failure", "sluice.web.order")
                .contains("sluice.missing-rule", "sluice.redis.uri");
        Set<String> described = new TreeSet<>(described().keySet());
        described.removeIf(name -> !name.startsWith("sluice."));
        assertThat(described).isEqualTo(expected);
    }

    private static void add(String prefix, Class<?> type, Set<String> names) {
        for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
            String name = prefix + "." + dashed(parameter.getName());
            Class<?> value = parameter.getType();
            if (value.isRecord()) {
                add(name, value, names);
            } else {
                names.add(name);
            }
        }
    }

    private static String dashed(String name) {
        String dashed = name.replaceAll("(?<=.)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return ConfigurationPropertyName.of(dashed).toString();
    }

    private static Map<String, String> described() throws Exception {
        try (InputStream in =
                SluiceProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<?> properties =
                    (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
            Map<String, String> described = new TreeMap<>();
            for (Object each : properties) {
                Map<?, ?> property = (Map<?, ?>) each;
                if (property.containsKey("deprecation")) {
                    continue;
                }
                described.put(String.valueOf(property.get("name")), String.valueOf(property.get("description")));
            }
            return described;
        }
    }
}
