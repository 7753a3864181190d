package io.sluice.envoy.decide;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.List;

/**
 * Builds the metadata that later Envoy filters read: the descriptors whose quota is used up. The names are those of the reference
 * service.
 */
final class QuotaMetadata {

    private QuotaMetadata() {}

    static Struct of(RateLimitRequest request, List<Integer> violations) {
        ListValue.Builder descriptors = ListValue.newBuilder();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            ListValue.Builder entries = ListValue.newBuilder();
            for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
                entries.addValues(Value.newBuilder().setStringValue(entry.getKey() + "=" + entry.getValue()));
            }
            descriptors.addValues(Value.newBuilder()
                    .setStructValue(Struct.newBuilder()
                            .putFields(
                                    "entries",
                                    Value.newBuilder().setListValue(entries).build())));
        }
        Struct.Builder metadata = Struct.newBuilder()
                .putFields(
                        "descriptors",
                        Value.newBuilder().setListValue(descriptors).build())
                .putFields(
                        "domain",
                        Value.newBuilder().setStringValue(request.getDomain()).build())
                .putFields(
                        "quotaModeEnabled",
                        Value.newBuilder().setBoolValue(true).build());
        if (request.getHitsAddend() != 0) {
            metadata.putFields("hitsAddend", number(Integer.toUnsignedLong(request.getHitsAddend())));
        }
        if (!violations.isEmpty()) {
            ListValue.Builder indices = ListValue.newBuilder();
            violations.forEach(index -> indices.addValues(number(index)));
            metadata.putFields(
                    "quotaModeViolations",
                    Value.newBuilder().setListValue(indices).build());
        }
        return metadata.build();
    }

    private static Value number(long number) {
        return Value.newBuilder().setNumberValue((double) number).build();
    }
}
