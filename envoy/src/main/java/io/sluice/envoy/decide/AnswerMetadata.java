package io.sluice.envoy.decide;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the metadata that later Envoy filters read: the request, and the metadata of the rules for the descriptors that pass. The names
 * are the same as in the reference service.
 */
final class AnswerMetadata {

    private AnswerMetadata() {}

    /** @param passed the metadata of the rules whose descriptors pass, in the order of the descriptors */
    static Struct of(RateLimitRequest request, List<Map<String, @Nullable Object>> passed) {
        ListValue.Builder descriptors = ListValue.newBuilder();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            descriptors.addValues(Value.newBuilder().setStructValue(descriptor(descriptor)));
        }
        Struct.Builder metadata = Struct.newBuilder()
                .putFields(
                        "descriptors",
                        Value.newBuilder().setListValue(descriptors).build())
                .putFields("domain", text(request.getDomain()));
        if (request.getHitsAddend() != 0) {
            metadata.putFields("hitsAddend", number(Integer.toUnsignedLong(request.getHitsAddend())));
        }
        Struct.Builder merged = Struct.newBuilder();
        passed.forEach(each -> merge(merged, struct(each)));
        if (merged.getFieldsCount() > 0) {
            metadata.putFields(
                    "metadata", Value.newBuilder().setStructValue(merged).build());
        }
        return metadata.build();
    }

    private static Struct descriptor(RateLimitDescriptor descriptor) {
        ListValue.Builder entries = ListValue.newBuilder();
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            entries.addValues(text(entry.getKey() + "=" + entry.getValue()));
        }
        Struct.Builder fields = Struct.newBuilder()
                .putFields("entries", Value.newBuilder().setListValue(entries).build());
        if (descriptor.hasLimit()) {
            fields.putFields("limit", text(limit(descriptor.getLimit())));
        }
        if (descriptor.hasHitsAddend()) {
            fields.putFields("hitsAddend", number(descriptor.getHitsAddend().getValue()));
        }
        return fields.build();
    }

    private static String limit(RateLimitDescriptor.RateLimitOverride limit) {
        return "requests_per_unit:" + Integer.toUnsignedString(limit.getRequestsPerUnit()) + " unit:" + limit.getUnit();
    }

    /** Adds missing fields. If both values have fields, these are merged in the same way; otherwise the first value stays. */
    private static void merge(Struct.Builder into, Struct more) {
        more.getFieldsMap().forEach((key, value) -> {
            Value known = into.getFieldsOrDefault(key, null);
            if (known == null) {
                into.putFields(key, value);
            } else if (known.hasStructValue() && value.hasStructValue()) {
                Struct.Builder both = known.getStructValue().toBuilder();
                merge(both, value.getStructValue());
                into.putFields(key, Value.newBuilder().setStructValue(both).build());
            }
        });
    }

    private static Struct struct(Map<?, ?> fields) {
        Struct.Builder struct = Struct.newBuilder();
        fields.forEach((key, value) -> struct.putFields(String.valueOf(key), value(value)));
        return struct.build();
    }

    private static Value value(@Nullable Object value) {
        Value.Builder made = Value.newBuilder();
        if (value instanceof Map<?, ?> fields) {
            made.setStructValue(struct(fields));
        } else if (value instanceof List<?> items) {
            ListValue.Builder list = ListValue.newBuilder();
            items.forEach(item -> list.addValues(value(item)));
            made.setListValue(list);
        } else if (value instanceof Number number) {
            made.setNumberValue(number.doubleValue());
        } else if (value instanceof Boolean flag) {
            made.setBoolValue(flag);
        } else if (value == null) {
            made.setNullValue(NullValue.NULL_VALUE);
        } else {
            made.setStringValue(String.valueOf(value));
        }
        return made.build();
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static Value number(long number) {
        return Value.newBuilder().setNumberValue((double) number).build();
    }
}
