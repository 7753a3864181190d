package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

class PropertyMetadataTest {

    @Test
    void everyPropertyHasASentence() throws Exception {
        try (InputStream in =
                SluiceProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<?> properties =
                    (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");

            assertThat(properties).hasSizeGreaterThan(10).allSatisfy(each -> assertThat(
                            String.valueOf(((Map<?, ?>) each).get("description")))
                    .as(String.valueOf(((Map<?, ?>) each).get("name")))
                    .matches("(?s)[A-Z].*\\."));
        }
    }
}
