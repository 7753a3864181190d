package io.sluice.spring.boot.check;

import io.sluice.rules.yaml.Spelling;
import io.sluice.spring.boot.SluiceProperties;
import io.sluice.spring.boot.check.KnownProperty.Shape;
import io.sluice.spring.boot.client.ClientLimitProperties;
import io.sluice.spring.boot.gateway.GatewayLimitProperties;
import io.sluice.spring.boot.method.AnnotationProperties;
import io.sluice.spring.boot.named.NamedRuleProperties;
import io.sluice.spring.boot.web.WebProperties;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/** All properties that Sluice reads under {@code sluice}, derived from the types that they are bound to. Immutable. */
final class KnownProperties {

    /** The types of the properties. A test compares them with the configuration metadata, which lists all of them. */
    private static final List<Class<?>> TYPES = List.of(
            SluiceProperties.class,
            NamedRuleProperties.class,
            AnnotationProperties.class,
            WebProperties.class,
            ClientLimitProperties.class,
            GatewayLimitProperties.class);

    /** The maximum number of letters that a typing error changes. */
    private static final int TYPING_ERROR = 2;

    private final List<KnownProperty> all = new ArrayList<>();

    KnownProperties() {
        all.add(new KnownProperty(List.of("sluice", "rules"), Shape.TREE));
        all.add(new KnownProperty(List.of("sluice", "attributes"), Shape.LIST));
        for (Class<?> type : TYPES) {
            String prefix = type.getAnnotation(ConfigurationProperties.class).value();
            addFields(Arrays.asList(prefix.split("\\.", -1)), type);
        }
    }

    boolean contains(ConfigurationPropertyName name) {
        return all.stream().anyMatch(known -> known.isNamed(name));
    }

    boolean canBeSetBy(String variable) {
        return all.stream().anyMatch(known -> known.isSetBy(variable));
    }

    /** Returns whether a variable names a group of properties instead of a property. */
    boolean isGroup(String variable) {
        return all.stream().anyMatch(known -> known.isWithin(variable));
    }

    /** Returns the most similar name of a known property. */
    String nearest(ConfigurationPropertyName name) {
        return all.stream()
                .map(known -> known.nameLike(name))
                .min(Comparator.comparingInt(known -> Spelling.distance(name.toString(), known)))
                .orElseThrow();
    }

    /** Returns the environment variable of a known property that differs from this variable by a typing error. */
    Optional<String> similarVariable(String variable) {
        return all.stream()
                .filter(known -> !known.elements().contains(KnownProperty.ANY))
                .map(KnownProperty::variable)
                .filter(known -> Spelling.distance(known, variable.toUpperCase(Locale.ROOT)) <= TYPING_ERROR)
                .findFirst();
    }

    private void addFields(List<String> prefix, Class<?> type) {
        var constructor = type.getDeclaredConstructors()[0];
        for (int i = 0; i < constructor.getParameterCount(); i++) {
            String name = constructor.getParameters()[i].getName();
            add(with(prefix, dashed(name)), ResolvableType.forMethodParameter(new MethodParameter(constructor, i)));
        }
    }

    private void add(List<String> name, ResolvableType type) {
        Class<?> raw = type.resolve(Object.class);
        if (raw.isRecord()) {
            addFields(name, raw);
        } else if (Map.class.isAssignableFrom(raw)) {
            add(with(name, KnownProperty.ANY), type.asMap().getGeneric(1));
        } else {
            boolean list = Collection.class.isAssignableFrom(raw) || raw.isArray();
            all.add(new KnownProperty(name, list ? Shape.LIST : Shape.VALUE));
        }
    }

    private static List<String> with(List<String> prefix, String element) {
        List<String> name = new ArrayList<>(prefix);
        name.add(element);
        return name;
    }

    private static String dashed(String name) {
        StringBuilder dashed = new StringBuilder();
        name.chars().forEach(c -> dashed.append(Character.isUpperCase(c) ? "-" : "")
                .append((char) Character.toLowerCase(c)));
        return dashed.toString();
    }
}
