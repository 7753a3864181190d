package io.sluice.envoy.decide;

import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.rules.pattern.Attributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Translates a request of the protocol to attributes and permits. */
final class DescriptorRequest {

    /**
     * The maximum number of descriptors. A request with more descriptors is refused as a whole, because it cannot be decided in the time
     * that Envoy waits.
     */
    static final int MOST_DESCRIPTORS = 256;

    static final int MOST_ENTRIES = EnvoyDescriptor.DEEPEST;

    static final Attributes NOTHING = Attributes.of(Map.of());

    /** The attribute with all keys of a descriptor, for limits that count by them. Names of attributes have a maximum length. */
    static final String KEYS = "descriptor#keys";

    /** The field {@code is_negative_hits}, which this version of the protocol library does not define yet. */
    private static final int NEGATIVE_HITS = 4;

    private DescriptorRequest() {}

    /** @throws IllegalArgumentException if the request is invalid */
    static void check(RateLimitRequest request) {
        if (request.getDomain().isEmpty()) {
            throw new IllegalArgumentException("domain: empty (expected: a domain such as shop)");
        }
        if (request.getDescriptorsCount() == 0) {
            throw new IllegalArgumentException("descriptors: none (expected: at least one)");
        }
    }

    static boolean isTooMuch(RateLimitRequest request) {
        if (request.getDescriptorsCount() > MOST_DESCRIPTORS) {
            return true;
        }
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            if (request.getDescriptors(i).getEntriesCount() > MOST_ENTRIES) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the request only looks, which charges no descriptor. */
    static boolean looks(RateLimitRequest request) {
        return request.getDescriptorsList().stream().allMatch(descriptor -> permits(request, descriptor) == 0);
    }

    /**
     * Returns the permits of a descriptor; with 0, the descriptor only looks. Negative hits do not give back permits; such a descriptor
     * also only looks.
     */
    static long permits(RateLimitRequest request, RateLimitDescriptor descriptor) {
        UnknownFieldSet unknown = descriptor.getUnknownFields();
        if (unknown.hasField(NEGATIVE_HITS)
                && unknown.getField(NEGATIVE_HITS).getVarintList().stream().anyMatch(value -> value != 0)) {
            return 0;
        }
        if (descriptor.hasHitsAddend()) {
            long addend = descriptor.getHitsAddend().getValue();
            return addend < 0 ? Long.MAX_VALUE : addend;
        }
        return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    }

    /** Returns the attributes that rules see for a descriptor. */
    static Attributes attributes(String domain, RateLimitDescriptor descriptor) {
        List<String> names = names(descriptor);
        Map<String, String> values = new HashMap<>(names.size() * 2 + 2);
        values.put("domain", domain);
        for (int i = 0; i < names.size(); i++) {
            values.put(names.get(i), descriptor.getEntries(i).getValue());
        }
        if (descriptor.hasLimit()) {
            values.put(KEYS, keys(descriptor));
        }
        return Attributes.taking(values);
    }

    private static String keys(RateLimitDescriptor descriptor) {
        StringBuilder keys = new StringBuilder();
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            keys.append(entry.getKey().length()).append(':').append(entry.getKey());
        }
        return keys.toString();
    }

    /** Returns the names of the attributes that hold the values of its entries. */
    static List<String> names(RateLimitDescriptor descriptor) {
        List<String> keys = new ArrayList<>(descriptor.getEntriesCount());
        for (int i = 0; i < descriptor.getEntriesCount(); i++) {
            keys.add(descriptor.getEntries(i).getKey());
        }
        return EnvoyDescriptor.attributes(keys);
    }
}
