package io.sluice.rules.document;

import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Documents as an editor sees them: text, numbers, flags, null, lists and maps. */
final class JsonValues {

    private JsonValues() {}

    static @Nullable Object parse(String text) {
        Errors errors = new Errors("f");
        YamlValue value = YamlReader.read("f", text, errors).orElseThrow(() -> new AssertionError(errors.list()));
        return of(value);
    }

    private static @Nullable Object of(YamlValue value) {
        if (value instanceof YamlScalar scalar) {
            return of(scalar);
        } else if (value instanceof YamlList list) {
            List<@Nullable Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(of(item)));
            return items;
        }
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        ((YamlMap) value).entries().forEach(entry -> map.put(((YamlScalar) entry.key()).text(), of(entry.value())));
        return map;
    }

    private static @Nullable Object of(YamlScalar scalar) {
        if (scalar.isNull()) {
            return null;
        }
        String text = scalar.text();
        boolean flag = text.equals("true") || text.equals("false");
        if (scalar.quoted() || !(flag || Digits.decimal(text).isPresent())) {
            return text;
        }
        return flag
                ? (Object) text.equals("true")
                : (Object) Digits.decimal(text).getAsDouble();
    }
}
