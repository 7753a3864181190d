package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The text of a record has no secret in it, because any record may be logged one day. */
class SecretsInTextsTest {

    private static final String SECRET = "v3ry-s3cret";
    private static final List<String> NAMES = List.of("password", "secret");

    @Test
    void noTextOfARecordHasItsSecret() throws Exception {
        List<String> checked = new ArrayList<>();
        for (String name : StoredWordsTest.classes(Center.class)) {
            Class<?> type = Class.forName(name, false, Center.class.getClassLoader());
            if (type.isRecord() && Arrays.stream(type.getRecordComponents()).anyMatch(SecretsInTextsTest::isSecret)) {
                assertThat(withSecrets(type).toString()).as(name).doesNotContain(SECRET);
                checked.add(type.getSimpleName());
            }
        }
        assertThat(checked).contains("Account", "Created", "Linked", "Webhook");
    }

    /** Addresses of webhooks have a token in their path at many services. */
    private static boolean isSecret(RecordComponent component) {
        return (component.getType() == URI.class
                        && component.getDeclaringRecord().getSimpleName().equals("Webhook"))
                || (component.getType() == String.class && NAMES.contains(component.getName()));
    }

    private static Object withSecrets(Class<?> type) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Constructor<?> constructor = type.getDeclaredConstructor(
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = isSecret(components[i]) && components[i].getType() == String.class
                    ? SECRET
                    : some(components[i].getType());
        }
        return constructor.newInstance(values);
    }

    private static @Nullable Object some(Class<?> type) throws ReflectiveOperationException {
        return switch (type.getSimpleName()) {
            case "boolean" -> false;
            case "int" -> 1;
            case "long" -> 1L;
            case "String" -> "text";
            case "URI" -> URI.create("https://localhost/" + SECRET);
            case "Path" -> Path.of("file");
            case "List" -> List.of();
            case "Set" -> Set.of();
            case "Map" -> Map.of();
            case "Optional" -> Optional.empty();
            case "OptionalLong" -> OptionalLong.empty();
            default -> type.isRecord() ? withSecrets(type) : type.isEnum() ? type.getEnumConstants()[0] : null;
        };
    }
}
